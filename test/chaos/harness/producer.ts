import 'reflect-metadata';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  DeadLetterService,
  DurabilityNotConfirmedError,
  DurabilityUnavailableError,
  EnqueueUncertainError,
  QueueControl,
  QueueFullError,
  QueueUnavailableError,
  RedisStreamsServer,
  TaskClient,
  TaskStreamsModule,
  type EnqueueOptions,
  type TaskStreamsOptions,
} from 'nestjs-task-streams';
import { QUEUE, TASK, type JobPayload } from '../worker/settings.js';
import type { LedgerWriter } from './ledger.js';
import { lasts } from './until.js';

const RETRY_PAUSE_MS = 50;
const PERSIST_MS = 120_000;
const TRANSIENT = [EnqueueUncertainError, QueueUnavailableError, QueueFullError];
const UNCONFIRMED = [DurabilityNotConfirmedError, DurabilityUnavailableError];

/** One task to send. */
export interface Job {
  readonly id: string;
  readonly payload: JobPayload;
  /** Default: the plain task. */
  readonly task?: string;
  /** Default: the one of all scenarios but the mixed ones. */
  readonly queue?: string;
  readonly options?: Omit<EnqueueOptions, 'id' | 'queue'>;
}

/** Sends tasks as an application does, and notes what it was told. */
export class Producer {
  readonly acked = new Set<string>();
  readonly refused = new Map<string, string>();
  readonly sent = new Map<string, Job>();
  /** A caller that wants a task confirmed sends it again until it is. */
  isSendingUntilConfirmed = false;

  private constructor(
    private readonly app: INestApplicationContext,
    private readonly ledger: LedgerWriter,
  ) {}

  static async open(options: TaskStreamsOptions, ledger: LedgerWriter): Promise<Producer> {
    @Module({ imports: [TaskStreamsModule.forRoot({ ...options, mode: 'producer' })] })
    class ProducerModule {}
    return new Producer(await NestFactory.createApplicationContext(ProducerModule, { logger: false }), ledger);
  }

  get client(): TaskClient {
    return this.app.get(TaskClient);
  }

  get queues(): QueueControl {
    return this.app.get(QueueControl, { strict: false });
  }

  get deadLetters(): DeadLetterService {
    return this.app.get(DeadLetterService, { strict: false });
  }

  /** The broker behind the client, for controls. */
  broker<T>(): T {
    return this.app.get(RedisStreamsServer).unwrap<T>();
  }

  /**
   * Sends one task. A caller that must not lose it (`persists`) sends the same id again after every failure.
   *
   * @returns whether Redis has it, as far as the caller was told.
   */
  async send(job: Job, persists = true): Promise<boolean> {
    const { id, payload } = job;
    this.sent.set(id, job);
    this.ledger.write({ kind: 'intent', id, key: payload.key });
    const deadline = performance.now() + PERSIST_MS;
    for (;;) {
      const error = await this.#try(job);
      if (error === undefined) return true;
      if (!persists || !this.#isTransient(error) || performance.now() > deadline) {
        this.refused.set(id, nameOf(error));
        return false;
      }
      await lasts(RETRY_PAUSE_MS);
    }
  }

  async close(): Promise<void> {
    await this.app.close();
  }

  #isTransient(error: unknown): boolean {
    const types = this.isSendingUntilConfirmed ? [...TRANSIENT, ...UNCONFIRMED] : TRANSIENT;
    return types.some((type) => error instanceof type);
  }

  async #try({ id, payload, task = TASK, queue = QUEUE, options = {} }: Job): Promise<unknown> {
    try {
      const receipt = await this.client.enqueue(task, payload, { ...options, id, queue });
      this.acked.add(id);
      this.ledger.write({ kind: 'acked', id, duplicate: receipt.duplicate, entryId: receipt.entryId });
      return undefined;
    } catch (error) {
      const kind = error instanceof EnqueueUncertainError ? 'uncertain' : 'refused';
      this.ledger.write({ kind, id, error: `${nameOf(error)}: ${error instanceof Error ? error.message : ''}` });
      return error;
    }
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : String(error);
}
