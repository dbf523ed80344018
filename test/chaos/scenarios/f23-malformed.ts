import type { Bench } from '../harness/bench.js';
import { KEYS, type RedisCommand } from '../harness/queue-watch.js';
import type { Scenario } from '../harness/scenario.js';
import { job } from './jobs.js';

const HEADLESS = 'headless';

interface Case {
  readonly reason: string;
  readonly version?: string;
  readonly id?: string;
  readonly task?: string;
  /** `null` for an entry without a payload. */
  readonly body?: string | null;
  /** Fields in place of head and body. */
  readonly fields?: readonly string[];
}

/** Entries that another program wrote, and why each is set aside. */
const CASES: readonly Case[] = [
  { reason: 'invalid-json', body: '{' },
  { reason: 'invalid-json', body: '' },
  { reason: 'invalid-json', body: 'undefined' },
  { reason: 'invalid-json', body: '\uFEFF{}' },
  { reason: 'invalid-json', body: "{'key':1}" },
  { reason: 'payload-too-deep', body: '['.repeat(5_000) + ']'.repeat(5_000) },
  { reason: 'payload-too-large', body: JSON.stringify('x'.repeat(1_100_000)) },
  { reason: 'missing-field', task: '' },
  { reason: 'missing-field', id: '' },
  { reason: 'missing-field', body: null },
  { reason: 'unknown-task', task: '__proto__' },
  { reason: 'unknown-task', task: 'constructor' },
  { reason: 'unknown-task', task: 'toString' },
  { reason: 'unsupported-version', version: '99' },
  { reason: 'unsupported-version', version: '99', id: '' },
  { reason: 'unsupported-version', version: '99', id: '', body: '{"key":"y"}' },
  // Whether nothing is a version that is not known, or a field that is missing, is for the library to say.
  { reason: HEADLESS, fields: ['something', 'else'] },
  { reason: HEADLESS, fields: ['v', '1', 'id', 'an-id', 'task', 'chaos.job', 'body', '{}'] },
];

function entry(
  n: number,
  { version = '2', id = `bad-${n}`, task = 'chaos.job', body = '{"key":"x"}', fields }: Case,
): RedisCommand {
  const words = fields ?? [
    'head',
    `${version}\n${id}\n${task}\n\n`,
    // Each with an id of its own, also in the next round: one task has one letter.
    ...(body === null ? [] : ['body', body]),
  ];
  return ['XADD', KEYS.stream, '*', ...words];
}

async function letters(bench: Bench): Promise<Map<string, number>> {
  const { letters: found } = await bench.producer.deadLetters.list('chaos', { limit: 1_000 });
  const reasons = new Map<string, number>();
  for (const { reason } of found) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return reasons;
}

/** What cannot be read is set aside as it was, and disturbs nobody. */
export const f23: Scenario = {
  id: 'F23',
  title: 'malformed entries and hostile names',
  tasks: 20_000,
  faults: 288,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet({ isOneEnough: true, options: { timing: { unknownTaskGraceMs: 1_000 } } });
    const rounds = bench.scaled(16);
    const load = bench.load({ count: bench.taskCount, overMs: rounds * 1_000, job: (i) => job(i) });
    for (let round = 0; round < rounds; round += 1) {
      for (const [n, one] of CASES.entries()) {
        await bench.watch.ask(entry(round * CASES.length + n, one));
        bench.fault(one.reason);
      }
    }
    await load.done;
    await bench.drained();
    const found = await letters(bench);
    const all = [...found.values()].reduce((sum, count) => sum + count, 0);
    bench.check(`${CASES.length * rounds} dead letters`, all === CASES.length * rounds, all);
    for (const reason of ['invalid-json', 'payload-too-deep', 'payload-too-large', 'unknown-task']) {
      const wanted = CASES.filter((one) => one.reason === reason).length * rounds;
      bench.check(`${wanted} letters with reason ${reason}`, found.get(reason) === wanted, found.get(reason) ?? 0);
    }
    bench.check('no object was polluted', ({} as { polluted?: unknown }).polluted === undefined);
    bench.expected = { dead: 'any', deadReasons: CASES.map(({ reason }) => reason), rawEffects: 1 };
  },
};
