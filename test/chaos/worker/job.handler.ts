import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { TaskContext, TaskHandler } from 'nestjs-task-streams';
import type { HandlerLine } from '../harness/ledger-lines.js';
import { Effects } from './effects.js';
import { KEYED_TASK, QUEUE, TASK, type JobPayload, type WorkerSettings } from './settings.js';
import { Witness } from './witness.js';

export const SETTINGS = Symbol('chaos:settings');

/** The work of every scenario: it has one effect, and misbehaves as its payload says. */
@Injectable()
export class JobHandler {
  readonly #effects: Effects | undefined;
  readonly #changesItsKey: boolean;

  constructor(
    @Inject(Witness) private readonly witness: Witness,
    @Inject(SETTINGS) settings: WorkerSettings,
  ) {
    this.#effects = settings.effectsDir === undefined ? undefined : new Effects(settings.effectsDir);
    this.#changesItsKey = settings.control === 'key-by-delivery';
  }

  @TaskHandler(TASK, { queue: QUEUE })
  async run(job: JobPayload, ctx: TaskContext): Promise<{ readonly key: string }> {
    this.#note('start', job, ctx);
    const wasMade = job.looksFirst === true && this.#effects?.isRecorded(job.key) === true;
    await this.#misbehave(job, ctx);
    if (job.ms) await pause(job.ms, undefined, job.heedsSignal ? { signal: ctx.signal } : undefined);
    if (job.brokenWhile && existsSync(job.brokenWhile)) throw new Error('the service behind this task is down');
    if (ctx.attempt <= (job.failures ?? 0)) throw new Error(`attempt ${ctx.attempt} was to fail`);
    this.witness.killAt('before-effect', ctx.taskId, ctx.deliveryCount);
    if (!wasMade) this.#effect(job, ctx);
    this.witness.killAt('after-effect', ctx.taskId, ctx.deliveryCount);
    for (const { task, queue, key, id } of job.followUps ?? []) {
      ctx.enqueue(task, { key, ms: 1 }, id === undefined ? { queue } : { queue, id });
    }
    this.#note('end', job, ctx);
    return { key: job.key };
  }

  /** The same work, with the key computed by the handler. */
  @TaskHandler(KEYED_TASK, { queue: QUEUE, idempotency: { key: ({ key }: JobPayload) => key } })
  runKeyed(job: JobPayload, ctx: TaskContext): Promise<{ readonly key: string }> {
    return this.run(job, ctx);
  }

  #effect(job: JobPayload, ctx: TaskContext): void {
    if (this.#isFirst(job, ctx)) this.#note('once', job, ctx);
    this.#note('effect', job, ctx);
  }

  /** Whether the effect counts as made by this run. */
  #isFirst(job: JobPayload, ctx: TaskContext): boolean {
    if (!this.#effects) return false;
    if (job.looksFirst) {
      this.#effects.record(job.key);
      return true;
    }
    // Under the key the library gives, as the docs say, while the checker counts by the business key.
    return this.#effects.recordUnique(ctx.idempotencyKey + (this.#changesItsKey ? `/${ctx.deliveryCount}` : ''));
  }

  async #misbehave({ act, actMs = 0, deaths = Infinity }: JobPayload, ctx: TaskContext): Promise<void> {
    switch (act) {
      case undefined:
        return;
      case 'sigkill':
        if (ctx.deliveryCount > deaths) return;
        process.kill(process.pid, 'SIGKILL');
        return;
      case 'exit':
        process.exit(9);
        return;
      case 'hang':
        return new Promise(() => undefined);
      case 'spin': {
        const end = performance.now() + actMs;
        while (ctx.deliveryCount === 1 && performance.now() < end);
      }
    }
  }

  #note(kind: HandlerLine['kind'], { key }: JobPayload, ctx: TaskContext): void {
    const { taskId: id, attempt, deliveryCount: deliveries } = ctx;
    const mono = monotonicMs();
    this.witness.ledger.write({ kind, id, key, attempt, deliveries, mono, ...this.witness.ownership(id, deliveries) });
  }
}

/** Milliseconds of a clock that all processes of this machine share and nobody sets. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
