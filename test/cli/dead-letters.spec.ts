import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { die, serviceOf } from '../support/broker/dead-letters.js';
import { fillLetters } from '../support/broker/fill-letters.js';
import { item } from '../support/broker/open-broker.js';
import { openDesk, type Desk } from './support/open-desk.js';

const DECLINED = {
  error: { name: 'CardDeclinedError', message: 'Card 17 declined' },
  reason: 'non-retryable',
} as const;

/** Two letters of one failure, and one of another. */
async function withLetters(): Promise<Desk> {
  const desk = await openDesk();
  await die(desk.broker, 'q', [item('a', { card: '4111', amount: 7 }), item('b', { amount: 8 })], DECLINED);
  await die(desk.broker, 'q', [item('c', { amount: 9 }, { name: 'other' })]);
  return desk;
}

interface LetterRow {
  readonly entryId: string;
  readonly taskId: string;
}

async function lettersOf(desk: Desk, ...filters: string[]): Promise<LetterRow[]> {
  return (await desk.run(['dlq', 'ls', 'q', '--json', ...filters])).json<{ letters: LetterRow[] }>().letters;
}

async function idsOf(desk: Desk): Promise<string[]> {
  return (await serviceOf(desk.broker).list('q')).letters.map(({ entryId = '' }) => entryId);
}

describe('dlq ls', () => {
  it.each([
    [[], ['a', 'b', 'c']],
    [['--task', 'other'], ['c']],
    [
      ['--error', 'CardDeclinedError'],
      ['a', 'b'],
    ],
    [
      ['--reason', 'non-retryable'],
      ['a', 'b'],
    ],
    [
      ['--since', '1h'],
      ['a', 'b', 'c'],
    ],
    [['--until', '2020-01-01'], []],
    [
      ['--error', 'CardDeclinedError', '--order', 'newest'],
      ['b', 'a'],
    ],
    [['--task', 'other', '--reason', 'non-retryable'], []],
  ])('%j answers %j', async (filters, tasks) => {
    expect((await lettersOf(await withLetters(), ...filters)).map(({ taskId }) => taskId)).toEqual(tasks);
  });

  it('comes in pages, and says how to go on', async () => {
    const desk = await withLetters();
    const first = await desk.run(['dlq', 'ls', 'q', '--limit', '2', '--json']);
    const { letters, cursor } = first.json<{ letters: LetterRow[]; cursor: string }>();
    expect(letters.map(({ taskId }) => taskId)).toEqual(['a', 'b']);
    expect((await lettersOf(desk, '--after', cursor)).map(({ taskId }) => taskId)).toEqual(['c']);
    expect((await desk.run(['dlq', 'ls', 'q', '--limit', '2'])).stderr).toBe(
      `There is more: go on with --after ${cursor}\n`,
    );
  });
});

describe('dlq groups and show', () => {
  it('show the failures, the largest first, and their letters', async () => {
    const desk = await withLetters();
    const groups = (await desk.run(['dlq', 'groups', 'q', '--json'])).json<{ id: string; count: number }[]>();
    expect(groups).toMatchObject([
      { count: 2, errorName: 'CardDeclinedError', message: 'Card <n> declined' },
      { count: 1, task: 'other' },
    ]);
    expect(await lettersOf(desk, '--group', groups[0]?.id ?? '')).toHaveLength(2);
  });

  it('hide the values of secret members unless they are wanted', async () => {
    const desk = await withLetters();
    const [id = ''] = await idsOf(desk);
    const [text, json, revealed] = await Promise.all([
      desk.run(['dlq', 'show', 'q', id]),
      desk.run(['dlq', 'show', 'q', id, '--json']),
      desk.run(['dlq', 'show', 'q', id, '--json', '--reveal']),
    ]);
    expect(text.stdout).toMatch(/payload\n {2}\{\n {4}"card": "\[redacted\]",\n {4}"amount": 7/);
    expect(text.stdout).toContain('CardDeclinedError: Card 17 declined');
    expect(json.stdout).not.toContain('4111');
    expect(json.json()).toMatchObject({ payload: { card: '[redacted]', amount: 7 } });
    expect(revealed.json()).toMatchObject({ payload: { card: '4111' }, body: '{"card":"4111","amount":7}' });
  });

  it('answer no for a letter that is not there', async () => {
    const { code, stderr } = await (await openDesk()).run(['dlq', 'show', 'q', '1-1']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/has no dead letter 1-1/);
  });
});

describe('dlq redrive', () => {
  it('does nothing in a dry run, and tells what it would do', async () => {
    const desk = await withLetters();
    const { code, stdout } = await desk.run(['dlq', 'redrive', 'q', '--all', '--dry-run', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ matched: 3, movable: 3, byTask: { job: 2, other: 1 } });
    expect(stdout).not.toContain('4111');
    expect(await idsOf(desk)).toHaveLength(3);
  });

  it('moves what a filter matches, and its counts are those of Redis', async () => {
    const desk = await withLetters();
    const args = ['dlq', 'redrive', 'q', '--error', 'CardDeclinedError', '--yes', '--json'];
    const { code, stdout } = await desk.run([...args, '--because', 'mended']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ matched: 2, done: 2, refused: 0, failed: 0, left: 1, isStopped: false });
    expect((await desk.state('q')).stream).toEqual(['a', 'b']);
    expect((await desk.run(['audit', 'ls', 'q', '--json'])).json()).toMatchObject({
      records: [{ action: 'redrive', actor: 'spec', reason: 'mended', counts: { moved: 2 } }],
    });
  });

  it('mends the payload', async () => {
    const desk = await withLetters();
    const patch = ['--task', 'other', '--yes', '--patch', '{"amount":null,"currency":"EUR"}'];
    expect((await desk.run(['dlq', 'redrive', 'q', ...patch])).stdout).toMatch(/^Moved 1 of 1 dead letters/);
    const [delivery] = await desk.broker.read('q', 1);
    expect(delivery?.fields).toContain('{"currency":"EUR"}');
  });

  it('moves no more than it may, the oldest first', async () => {
    const desk = await withLetters();
    const { stdout } = await desk.run(['dlq', 'redrive', 'q', '--all', '--max', '2', '--yes', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ done: 2, left: 1 });
    expect((await desk.state('q')).stream).toEqual(['a', 'b']);
  });

  it('answers no for a letter that was picked and is refused, unless it is forced', async () => {
    const desk = await openDesk();
    await die(desk.broker, 'q', [item('a')]);
    const [id = ''] = await idsOf(desk);
    const args = ['dlq', 'redrive', 'q', id, '--max-redrives', '0'];
    const refused = await desk.run([...args, '1-1', '--json']);
    expect(refused.code).toBe(1);
    expect(refused.json()).toMatchObject({ matched: 2, done: 0, refusals: { gone: 1, 'max-redrives': 1 } });
    const forced = await desk.run([...args, '--force']);
    expect(forced).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Moved 1 of 1 dead letters/) });
  });

  it('stops at Ctrl-C between two batches, says how to go on, and goes on there', async () => {
    const desk = await openDesk();
    await fillLetters(desk.redis, `${desk.prefix}:{q}:`, 60, 1);
    const running = desk.start(['dlq', 'redrive', 'q', '--all', '--rate', '10', '--yes', '--json']);
    await expect.poll(() => desk.broker.deadLetters.count('q'), { timeout: 20_000 }).toBeLessThan(57);
    running.child.kill('SIGINT');
    const stopped = await running.ended;
    expect(stopped.code).toBe(130);
    const { done, cursor, left } = stopped.json<{ done: number; cursor: string; left: number }>();
    expect(done + left).toBe(60);
    expect(left).toBeGreaterThan(0);
    const rest = await desk.run([
      'dlq',
      'redrive',
      'q',
      '--all',
      '--rate',
      '1000',
      '--yes',
      '--json',
      '--resume',
      cursor,
    ]);
    expect(rest).toMatchObject({ code: 0 });
    expect(rest.json()).toMatchObject({ done: left, left: 0 });
  });

  it('says how far it is every few seconds where nobody looks', async () => {
    const desk = await openDesk();
    await fillLetters(desk.redis, `${desk.prefix}:{q}:`, 45, 1);
    const { stderr } = await desk.run(['dlq', 'redrive', 'q', '--all', '--rate', '10', '--yes']);
    expect(stderr).toMatch(/^\d+ of 45: \d+ moved, about \ds left$/m);
    expect(stderr).not.toContain('\r');
  });
});

describe('dlq discard and purge', () => {
  it('delete letters, with the reason in the audit log', async () => {
    const desk = await withLetters();
    const [id = ''] = await idsOf(desk);
    const discard = await desk.run(['dlq', 'discard', 'q', id, '1-1', '--because', 'settled', '--yes']);
    expect(discard).toMatchObject({ code: 1, stdout: 'Deleted 1 dead letter of queue "q".\n' });
    expect(discard.stderr).toContain('no dead letter 1-1');
    const args = ['dlq', 'purge', 'q', '--task', 'other', '--because', 'old', '--confirm', 'q', '--json'];
    expect((await desk.run(args)).json()).toMatchObject({ done: 1, left: 1 });
    expect((await desk.run(['audit', 'ls', 'q', '--json'])).json()).toMatchObject({
      records: [
        { action: 'purge', reason: 'old' },
        { action: 'discard', reason: 'settled', counts: { gone: 1 } },
        { action: 'discard', reason: 'settled', counts: { discarded: 1 } },
      ],
    });
  });
});

describe('dlq export and import', () => {
  it('carry letters to another queue with their bytes, once each', async () => {
    const desk = await withLetters();
    const exported = await desk.run(['dlq', 'export', 'q', '--error', 'CardDeclinedError']);
    expect(exported.code).toBe(0);
    expect(exported.stdout.trim().split('\n')).toHaveLength(2);
    expect(exported.stdout).toContain('4111');
    const first = await desk.run(['dlq', 'import', 'r', '-', '--json'], { input: exported.stdout });
    expect(first.json()).toMatchObject({ imported: 2, duplicates: 0, failed: 0 });
    const second = await desk.run(['dlq', 'import', 'r', '-'], { input: `${exported.stdout}{}\n` });
    expect(second.code).toBe(1);
    expect(second.stdout).toMatch(/2 were there already.*\nFailed 1\.\n {2}line 3: its format/s);
    expect((await serviceOf(desk.broker).list('r')).letters[0]?.body).toBe('{"card":"4111","amount":7}');
  });

  it('writes a new file that others cannot read, and never over one', async () => {
    const desk = await withLetters();
    const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-cli-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const file = path.join(dir, 'q.ndjson');
    const written = await desk.run(['dlq', 'export', 'q', '--file', file]);
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(3);
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await desk.run(['dlq', 'export', 'q', '--file', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it is there already'),
    });
  });
});
