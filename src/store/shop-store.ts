import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { AppConfig } from '../config/app-config.js';
import { StoreUnavailableError } from './store-unavailable.error.js';

const COMMAND_TIMEOUT_MS = 3000;

/**
 * The shop's own data in Redis, apart from the tasks: its keys begin with `shop:`. A real shop would have a database
 * here.
 */
@Injectable()
export class ShopStore implements OnApplicationShutdown {
  readonly #logger = new Logger(ShopStore.name);
  readonly #redis: Redis;

  constructor(config: AppConfig) {
    this.#redis = new Redis(config.REDIS_URL, { commandTimeout: COMMAND_TIMEOUT_MS, maxRetriesPerRequest: 1 });
    // Without a listener ioredis prints every failed connection itself.
    this.#redis.on('error', (error) => this.#logger.debug(`Redis: ${error.message}`));
  }

  /**
   * Runs commands.
   *
   * @throws StoreUnavailableError where Redis does not answer them; a refusal of Redis comes through as it is.
   */
  async use<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      return await work(this.#redis);
    } catch (error) {
      if (error instanceof Error && error.name === 'ReplyError') throw error;
      throw new StoreUnavailableError(error);
    }
  }

  /** After the workers have drained: their last tasks still write here. */
  onApplicationShutdown(): void {
    this.#redis.disconnect();
  }
}
