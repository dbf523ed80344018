import { Injectable } from '@nestjs/common';
import { ShopStore } from '../store/shop-store.js';

export const PARTNER_MODES = ['up', 'down', 'flaky'] as const;

/** `up` takes every message, `down` none, `flaky` each one at the third try. */
export type PartnerMode = (typeof PARTNER_MODES)[number];

export interface PartnerState {
  readonly mode: PartnerMode;
  /** Different messages it took; the same one sent twice counts once. */
  readonly deliveredCount: number;
}

const MODE = 'shop:partner:mode';
const DELIVERED = 'shop:partner:delivered-count';
const REMEMBERED_SECONDS = 86_400;

/** How the partner feels. Kept in Redis, so that the switch in the web process reaches the workers. */
@Injectable()
export class PartnerStateStore {
  constructor(private readonly store: ShopStore) {}

  async read(): Promise<PartnerState> {
    const [mode, count] = await this.store.use((redis) => redis.mget(MODE, DELIVERED));
    return { mode: PARTNER_MODES.find((known) => known === mode) ?? 'up', deliveredCount: Number(count ?? 0) };
  }

  async setMode(mode: PartnerMode): Promise<void> {
    await this.store.use((redis) => redis.set(MODE, mode));
  }

  /** Counts one more try to deliver a message and answers how many there were. */
  async countTry(messageKey: string): Promise<number> {
    const key = `shop:partner:tries:${messageKey}`;
    const replies = await this.store.use((redis) => redis.multi().incr(key).expire(key, REMEMBERED_SECONDS).exec());
    return Number(replies?.[0]?.[1]);
  }

  /** Notes that a message was taken; the partner knows it by its key and takes it once. */
  async noteDelivery(messageKey: string): Promise<void> {
    const key = `shop:partner:message:${messageKey}`;
    await this.store.use(async (redis) => {
      if ((await redis.set(key, '1', 'EX', REMEMBERED_SECONDS, 'NX')) === 'OK') await redis.incr(DELIVERED);
    });
  }
}
