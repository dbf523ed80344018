import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TaskStreamsOptions } from 'nestjs-task-streams';
import { startTestRedis, type TestRedis, type TestRedisOptions } from '../../support/redis-server.js';
import { applyProducerControl } from '../controls/apply-control.js';
import type { Verdict } from '../checker/check.js';
import type { Expectations } from '../checker/expectations.js';
import type { History } from '../checker/history.js';
import { ChaosProxy } from './chaos-proxy.js';
import { Fleet } from './fleet.js';
import type { FleetOptions, RunContext } from './bench-options.js';
import { keepLogs } from './keep-logs.js';
import { LedgerWriter } from './ledger.js';
import type { FaultLine, NewLine } from './ledger-lines.js';
import { LoadRun, type Load } from './load.js';
import { Producer } from './producer.js';
import { QueueWatch } from './queue-watch.js';
import { QUEUE } from '../worker/settings.js';
import { SeededRandom } from './random.js';
import type { ScenarioFacts } from './scenario-facts.js';
import { comesTrue } from './until.js';

/** Below this scale a run is a test among others: with shorter leases and fewer workers. */
const SMALL = 0.1;

/** Everything a scenario works with. It owns what it starts, and ends all of it. */
export class Bench {
  readonly random: SeededRandom;
  readonly dir = mkdtempSync(path.join(tmpdir(), 'nestjs-task-streams-chaos-'));
  readonly ledgerDir = path.join(this.dir, 'ledger');
  readonly ledger = new LedgerWriter(this.ledgerDir, 'harness');
  readonly watch = this.watchOf(QUEUE);
  readonly notes: string[] = [];
  readonly problems: string[] = [];
  readonly isSmall: boolean;
  expected: Expectations = {};
  /** Judges in place of what judges one queue. */
  judge: ((history: History) => Promise<Verdict>) | undefined;
  /** Where a queue is looked at. */
  urlOf: (queue: string) => string | Promise<string> = () => this.redis.url;
  skipped: string | undefined;
  /** What is removed even when the run is interrupted. */
  readonly #folders = [this.dir];
  readonly #closers: (() => Promise<unknown>)[] = [];
  #redis: TestRedis | undefined;
  #fleet: Fleet | undefined;
  #producer: Producer | undefined;

  constructor(
    readonly scenario: ScenarioFacts,
    readonly context: RunContext,
  ) {
    this.random = new SeededRandom(context.seed, scenario.id);
    this.isSmall = context.scale < SMALL;
    const clear = () => this.#folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
    process.once('exit', clear);
    this.onClose(async () => process.off('exit', clear));
  }

  get leaseMs(): number {
    return this.isSmall ? 1_000 : 2_000;
  }

  get sweepMs(): number {
    return this.leaseMs / 4;
  }

  /** How long an orphan may wait for another worker: its lease, two sweeps, and half a second. */
  get takeOverMs(): number {
    return this.leaseMs + 2 * this.sweepMs + 500;
  }

  get redis(): TestRedis {
    if (!this.#redis) throw new Error('The scenario has not started its Redis');
    return this.#redis;
  }

  get fleet(): Fleet {
    if (!this.#fleet) throw new Error('The scenario has not started its workers');
    return this.#fleet;
  }

  get producer(): Producer {
    if (!this.#producer) throw new Error('The scenario has not opened its producer');
    return this.#producer;
  }

  get hasFleet(): boolean {
    return this.#fleet !== undefined;
  }

  watchOf(queue: string): QueueWatch {
    return new QueueWatch(() => this.urlOf(queue), queue);
  }

  /** A count at the scale of this run. */
  scaled(full: number, least = 1): number {
    return Math.max(least, Math.round(full * this.context.scale));
  }

  get taskCount(): number {
    return this.scaled(this.scenario.tasks, Math.min(this.scenario.tasks, 200));
  }

  get faultCount(): number {
    return this.scaled(this.scenario.faults, Math.min(this.scenario.faults, 2));
  }

  /** Section 3 of the reliability notes: quick enough that a fault and its mending fit into seconds. */
  get workerOptions(): TaskStreamsOptions {
    return {
      concurrency: 10,
      leaseMs: this.leaseMs,
      timing: { sweepMs: this.sweepMs, promoteMs: 100, blockMs: this.leaseMs / 2 },
      crashLimit: 3,
      timeoutMs: 60_000,
      shutdownTimeoutMs: 2_000,
      retry: { attempts: 3, backoff: { type: 'exponential', delayMs: 100, maxDelayMs: 1_000, jitter: 'full' } },
      retention: { completedMs: 86_400_000 },
    };
  }

  async startRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
    this.#redis = await this.anotherRedis(options);
    return this.#redis;
  }

  /** A further server, such as a replica. */
  async anotherRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
    const redis = await startTestRedis(options);
    this.context.guardian.watch(redis.pid);
    this.#folders.push(redis.dir);
    this.onClose(async () => {
      const { pid } = redis;
      await redis.kill('SIGCONT');
      await redis.stop();
      this.context.guardian.forget(pid);
    });
    return redis;
  }

  /** Kills Redis as a crash would. */
  async killRedis(redis = this.redis): Promise<void> {
    this.context.guardian.forget(redis.pid);
    await redis.kill('SIGKILL');
  }

  /** Starts a Redis that was killed again, on the same port and with what it had written to its file. */
  async reviveRedis(redis = this.redis): Promise<void> {
    await redis.restart();
    this.context.guardian.watch(redis.pid);
  }

  /** @param meanwhile What happens to its files while it is gone. */
  async crashRedis(meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    const t = Date.now();
    await this.killRedis();
    await meanwhile();
    await this.reviveRedis();
    this.fault('redis-sigkill', { t, until: Date.now() });
  }

  async startProxy(targetPort = this.redis.port, isRaw = false): Promise<ChaosProxy> {
    const proxy = await new ChaosProxy(targetPort, isRaw).listen();
    this.onClose(() => proxy.close());
    return proxy;
  }

  async startFleet({
    count,
    options,
    url,
    settings,
    place,
    areEndsMeant,
    isOneEnough,
  }: FleetOptions = {}): Promise<Fleet> {
    this.#fleet = new Fleet(
      (slot) => ({
        buildDir: this.context.buildDir,
        guardian: this.context.guardian,
        settings: {
          ledgerDir: this.ledgerDir,
          options: {
            connection: { url: url?.(slot) ?? this.redis.url },
            ...this.workerOptions,
            ...options,
            timing: { ...this.workerOptions.timing, ...options?.timing },
          },
          control: this.scenario.control,
          ...settings,
        },
        ...place?.(slot),
      }),
      areEndsMeant,
    );
    const fleet = this.#fleet;
    this.onClose(() => fleet.stop());
    await fleet.start(count ?? (this.isSmall ? (isOneEnough ? 1 : 2) : 4));
    return fleet;
  }

  /** A control is not waited for: it need not be done, but be seen. */
  get #drainMs(): number {
    return this.scenario.mustFail ? 4_000 : this.isSmall ? 20_000 : 120_000;
  }

  /** Waits until nothing is left to do; that it takes too long is for the verdict to say. */
  drained(timeoutMs = this.#drainMs): Promise<boolean> {
    return comesTrue(() => this.watch.isDrained(), timeoutMs);
  }

  async openProducer(url = this.redis.url, options: TaskStreamsOptions = {}): Promise<Producer> {
    const producer = await Producer.open({ connection: { url }, ...this.workerOptions, ...options }, this.ledger);
    this.#producer = producer;
    const endControl = applyProducerControl(this.scenario.control, producer.broker(), url);
    this.onClose(async () => endControl());
    this.onClose(() => producer.close());
    return producer;
  }

  load(load: Load): LoadRun {
    return new LoadRun(this.producer, load);
  }

  /** Notes what was done to the system. */
  fault(fault: string, more: Partial<Omit<FaultLine, 'kind' | 'fault' | 'pid'>> = {}): void {
    this.ledger.write({ kind: 'fault', fault, ...more } as NewLine);
  }

  /** A condition of the scenario itself. */
  check(what: string, holds: boolean, seen: unknown = ''): void {
    if (!holds) this.problems.push(`${what}${seen === '' ? '' : ` (seen: ${String(seen)})`}`);
  }

  note(line: string): void {
    this.notes.push(line);
  }

  onClose(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close().catch(() => undefined);
    this.ledger.close();
    if (!process.env['CHAOS_KEEP']) return rm(this.dir, { recursive: true, force: true });
    keepLogs(this.dir, this.#fleet?.all ?? []);
    this.context.print(`  kept ${this.dir}`);
  }
}
