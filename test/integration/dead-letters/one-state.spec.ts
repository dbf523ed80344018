import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DeadLetterService } from '../../../libs/task-streams/src/dead-letters/dead-letter.service.js';
import { RedisUnavailableError } from '../../../libs/task-streams/src/task/redis-unavailable.error.js';
import { serviceOf, settleAsDead } from '../../support/broker/dead-letters.js';
import { type BrokerBench, item, openBroker } from '../../support/broker/open-broker.js';
import { completion, settlement } from '../../support/broker/settlements.js';

const fast = { ratePerSecond: 100_000, maxRedrives: 100 };
const KINDS = ['CardError', 'BankError', 'Error'] as const;
const index = fc.nat(1_000);

/** What may happen to tasks and their dead letters, in any order. */
const step = fc.oneof(
  fc.record({
    do: fc.constant('die' as const),
    count: fc.integer({ min: 1, max: 6 }),
    kind: fc.constantFrom(...KINDS),
  }),
  fc.record({ do: fc.constantFrom('redrive', 'edit', 'discard', 'twice' as const), index }),
  fc.record({ do: fc.constant('group' as const), index }),
  fc.record({ do: fc.constantFrom('crash', 'cut' as const), after: fc.integer({ min: 0, max: 1 }) }),
  fc.record({ do: fc.constantFrom('work', 'die again' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constant('trim' as const), most: fc.integer({ min: 1, max: 8 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One queue, what was done to it, and what must be true of it. */
class World {
  private readonly tasks = new Set<string>();
  private readonly letters: DeadLetterService;

  constructor(
    private readonly bench: BrokerBench,
    private readonly queue: string,
  ) {
    this.letters = serviceOf(bench.broker);
  }

  async take(step: Step): Promise<void> {
    const { broker, another } = this.bench;
    switch (step.do) {
      case 'die': {
        const items = Array.from({ length: step.count }, (_, i) => item(`${this.tasks.size + i}`, { n: 1 }));
        for (const { id } of items) this.tasks.add(id);
        await broker.inbox.append(this.queue, items, 'memory');
        // What waits already may be handed out in their place: it dies then.
        await this.handOutAndDie(items.length, step.kind);
        return;
      }
      case 'die again':
        await this.handOutAndDie(step.count, 'Error');
        return;
      case 'work': {
        await broker.work.ensure(this.queue);
        const deliveries = await broker.read(this.queue, step.count);
        await broker.settle(
          this.queue,
          deliveries.map((one) => settlement(one, completion())),
        );
        return;
      }
      case 'trim':
        await another({ retention: { maxDeadLetters: step.most } }).deadLetters.trim(this.queue, 3);
        return;
      case 'crash':
        await this.crash(step.after);
        return;
      case 'cut':
        await this.cut(step.after);
        return;
      default:
        await this.pick(step);
    }
  }

  private async pick({ do: what, index: n }: Extract<Step, { index: number }>): Promise<void> {
    const { letters } = await this.letters.list(this.queue, { limit: 1_000 });
    const letter = letters[n % Math.max(letters.length, 1)];
    if (!letter) return;
    const entryId = letter.entryId ?? '';
    if (what === 'redrive') await this.letters.redrive(this.queue, entryId, fast);
    if (what === 'edit') await this.letters.redrive(this.queue, entryId, { ...fast, patch: { n } });
    if (what === 'discard') await this.letters.discard(this.queue, entryId, { reason: 'test' });
    if (what === 'group') await this.letters.redriveMany(this.queue, { fingerprint: letter.group }, fast);
    // Two people at the same moment.
    if (what === 'twice') {
      const both = [1, 2].map(() => this.letters.redriveMany(this.queue, [entryId], fast));
      const reports = await Promise.all(both);
      expect(reports.map(({ done }) => done).toSorted((a, b) => a - b)).toEqual([0, 1]);
    }
  }

  private async handOutAndDie(count: number, name: string): Promise<void> {
    const { broker } = this.bench;
    await broker.work.ensure(this.queue);
    await settleAsDead(broker, this.queue, await broker.read(this.queue, count), {
      error: { name, message: `after ${count}` },
    });
  }

  /** The process ends while a batch is on its way: nobody hears the reply, and nobody goes on. */
  private async crash(after: number): Promise<void> {
    const steps = this.letters.redriveInSteps(this.queue, {}, { ratePerSecond: 20, maxRedrives: 100 });
    for (let i = 0; i < after; i += 1) await steps.next();
    await steps.next();
    await steps.return(undefined as never);
  }

  /** The reply to a batch is lost: it is sent again, and nothing is moved twice. */
  private async cut(after: number): Promise<void> {
    const { broker } = this.bench;
    const count = await broker.deadLetters.count(this.queue);
    const lossy = Object.create(broker.deadLetters) as typeof broker.deadLetters;
    let batches = 0;
    lossy.redrive = async (...args) => {
      const reply = await broker.deadLetters.redrive(...args);
      if (batches++ === after) throw new RedisUnavailableError('the reply was lost');
      return reply;
    };
    const report = await serviceOf({ deadLetters: lossy, queues: broker.queues }).redriveMany(
      this.queue,
      {},
      { ratePerSecond: 50, maxRedrives: 100 },
    );
    expect(report).toMatchObject({ matched: count, done: count });
  }

  async check(): Promise<void> {
    const { stream, dead, records } = await this.bench.state(this.queue);
    const done = records.filter((line) => line.endsWith(': completed')).map((line) => line.split(':')[0] as string);
    const places = [...stream, ...dead, ...done];
    expect(new Set(places).size).toBe(places.length);
    const gone = [...this.tasks].filter((id) => !places.includes(id));
    // Discarded or dropped: its record says that it is dead.
    expect(gone.map((id) => `${id}: dead`).filter((line) => !records.includes(line))).toEqual([]);
    const totals = await this.letters.totals(this.queue);
    expect(gone.length).toBe(totals.discarded + totals.dropped);
    expect(totals.added - totals.redriven - totals.discarded - totals.dropped).toBe(dead.length);
    await this.checkGroups(totals.added);
  }

  private async checkGroups(added: number): Promise<void> {
    const { letters } = await this.letters.list(this.queue, { limit: 1_000 });
    const counts = new Map<string | undefined, number>();
    for (const { group } of letters) counts.set(group, (counts.get(group) ?? 0) + 1);
    const groups = await this.letters.groups(this.queue, { includeEmpty: true });
    for (const { id, count } of groups) expect(`${id} ${count}`).toBe(`${id} ${counts.get(id) ?? 0}`);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(letters.length);
    expect(groups.reduce((sum, { total }) => sum + total, 0)).toBe(added);
    for (const { sampleEntryId } of groups) {
      if (sampleEntryId) expect(letters.some(({ entryId }) => entryId === sampleEntryId)).toBe(true);
    }
  }
}

it('keeps every task in exactly one state and the counts exact, whatever is done in whatever order', async () => {
  const bench = await openBroker();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const world = new World(bench, `q${(runs += 1)}`);
      for (const one of steps) {
        await world.take(one);
        await world.check();
      }
    }),
    { numRuns: 40, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );
}, 120_000);
