import { describe, expect, it } from 'vitest';
import { die, serviceOf } from '../support/broker/dead-letters.js';
import { deliver, item } from '../support/broker/open-broker.js';
import { retry, settlement } from '../support/broker/settlements.js';
import { openDesk, type Desk } from './support/open-desk.js';

async function withWaiting(count: number, queue = 'q'): Promise<Desk> {
  const desk = await openDesk();
  await desk.broker.inbox.append(
    queue,
    Array.from({ length: count }, (_, i) => item(`task-${i + 1}`)),
    'memory',
  );
  await expect.poll(() => desk.broker.queues.list(10)).toContain(queue);
  return desk;
}

interface Stats {
  readonly queue: string;
  readonly waiting: number;
}

describe('queues', () => {
  it('are listed with their numbers, as a table and as JSON', async () => {
    const desk = await withWaiting(3);
    const [table, json] = await Promise.all([desk.run(['queues', 'ls']), desk.run(['queues', 'ls', '--json'])]);
    expect(table.stdout).toMatch(/^QUEUE +WAITING.*\nq +3 +0 +0 +0 +\S+ +0 +no worker\n$/);
    expect(json.json<Stats[]>()).toEqual([
      {
        queue: 'q',
        waiting: 3,
        active: 0,
        delayed: 0,
        dead: 0,
        oldestAge: expect.any(Number),
        workers: 0,
        paused: false,
      },
    ]);
  });

  it('are shown one by one; one that is not there is a no', async () => {
    const desk = await withWaiting(2);
    const [there, missing] = await Promise.all([
      desk.run(['queues', 'show', 'q', '--json']),
      desk.run(['queues', 'show', 'nothing']),
    ]);
    expect(there.json()).toMatchObject({ queue: 'q', waiting: 2, deadLetters: { added: 0 } });
    expect(missing).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no queue "nothing"') });
  });

  it('are paused and resumed once, and the audit log says by whom', async () => {
    const desk = await withWaiting(1);
    const pause = ['queues', 'pause', 'q', '--because', 'the bank is down', '--json'];
    expect((await desk.run([...pause, '--by', 'ada'])).json()).toMatchObject({ isPaused: true, isChanged: true });
    const again = await desk.run(['queues', 'pause', 'q']);
    expect(again.stdout).toMatch(/was paused already by ada .*: the bank is down/);
    expect((await desk.run(['queues', 'resume', 'q', '--json'])).json()).toMatchObject({ isChanged: true });
    expect((await desk.run(['audit', 'ls', 'q', '--json'])).json()).toMatchObject({
      records: [
        { action: 'resume', actor: 'spec' },
        { action: 'pause', actor: 'ada', reason: 'the bank is down' },
      ],
    });
    expect((await desk.run(['audit', 'ls', 'q', '--limit', '1'])).stderr).toMatch(/go on with --after \d+-\d+/);
  });

  it('are drained and purged', async () => {
    const desk = await withWaiting(3);
    expect((await desk.run(['queues', 'drain', 'q', '--yes', '--json'])).json()).toEqual({
      queue: 'q',
      removed: { waiting: 3, delayed: 0, dead: 0 },
      isStopped: false,
    });
    await die(desk.broker, 'q', [item('dead')]);
    expect((await desk.run(['queues', 'purge', 'q', '--confirm', 'q'])).stdout).toContain('1 dead letter.');
    expect(await desk.broker.deadLetters.count('q')).toBe(0);
  });
});

describe('stats', () => {
  it('fail where a condition is met, and say which', async () => {
    const desk = await withWaiting(3);
    const met = await desk.run(['stats', 'q', '--fail-if', 'waiting>=3', '--fail-if', 'dead>0']);
    expect(met.code).toBe(1);
    expect(met.stderr).toBe('Queue "q": waiting>=3 (it is 3)\n');
    expect(met.stdout).toContain('no worker');
    const unmet = await desk.run(['stats', 'q', '--fail-if', 'waiting>3', '--fail-if', 'oldestAge>5m']);
    expect(unmet).toMatchObject({ code: 0, stderr: '' });
  });

  it('can be watched: a JSON line an interval, until Ctrl-C', async () => {
    const desk = await withWaiting(1);
    const running = desk.start(['stats', 'q', '--watch', '0.1', '--json']);
    let seen = '';
    running.child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    await expect.poll(() => seen.split('\n').length, { timeout: 20_000 }).toBeGreaterThan(3);
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines[0]).toMatchObject({ at: expect.any(String), queues: [{ queue: 'q', waiting: 1 }] });
  });

  it('that are watched end where a condition is met', async () => {
    const desk = await openDesk();
    const running = desk.start(['stats', 'q', '--watch', '0.1', '--fail-if', 'waiting>0']);
    await new Promise((resolve) => running.child.stdout.once('data', resolve));
    await desk.broker.inbox.append('q', [item('a')], 'memory');
    const { code, stdout } = await running.ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\S+Z queue=q waiting=0 active=0 delayed=0 dead=0 oldestAge=0 workers=0 paused=false$/m);
  });
});

describe('workers', () => {
  it('are listed with what they hold', async () => {
    const desk = await openDesk();
    await deliver(desk.broker, 'q', item('a'), item('b'));
    const [{ code, stdout }, table] = await Promise.all([
      desk.run(['workers', 'ls', 'q', '--json']),
      desk.run(['workers', 'ls', 'q']),
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ queue: 'q', pid: process.pid, pendingCount: 2, isLive: true }]);
    expect(table.stdout).toMatch(new RegExp(`q .* ${process.pid} +- +2 `));
  });
});

describe('tasks', () => {
  it('are enqueued from an argument and from the standard input, once each', async () => {
    const desk = await openDesk();
    const args = ['tasks', 'enqueue', 'q', 'job', '--id', 'a', '--json', '--payload'];
    expect((await desk.run([...args, '{"n":1}'])).json()).toMatchObject({
      id: 'a',
      state: 'waiting',
      duplicate: false,
    });
    expect((await desk.runBuilt([...args, '-'], { input: '{"n":1}' })).json()).toMatchObject({ duplicate: true });
    const conflict = await desk.run([...args, '{"n":2}']);
    expect(conflict).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('"a"') });
    const [delivery] = await deliver(desk.broker, 'q', item('b'));
    expect(delivery).toMatchObject({ taskId: 'a', name: 'job', fields: expect.arrayContaining(['{"n":1}']) });
  });

  it('are enqueued for later with what was said about them, promoted, rescheduled and cancelled', async () => {
    const desk = await openDesk();
    const enqueue = ['tasks', 'enqueue', 'q', 'job', '--payload', 'null', '--delay', '1h', '--json', '--id'];
    await Promise.all(['a', 'b', 'c'].map((id) => desk.run([...enqueue, id])));
    const list = await desk.run(['tasks', 'ls', 'q', '--state', 'delayed', '--json']);
    expect(list.json<{ tasks: object[] }>().tasks).toHaveLength(3);
    expect((await desk.run(['tasks', 'promote', 'q~0~a'])).stdout).toBe('It waits for a worker now.\n');
    expect((await desk.run(['tasks', 'reschedule', 'q', 'b', '--delay', '2h', '--json'])).json()).toMatchObject({
      kind: 'rescheduled',
    });
    expect((await desk.run(['tasks', 'cancel', 'q', 'c', '--because', 'sent twice'])).code).toBe(0);
    expect((await desk.run(['tasks', 'show', 'q', 'c', '--json'])).json()).toMatchObject({
      state: 'cancelled',
      cancel: { by: 'spec', reason: 'sent twice' },
    });
    const noes = [
      ['promote', 'q', 'a'],
      ['cancel', 'q', 'c'],
      ['retry', 'q', 'a'],
    ];
    for (const args of noes) expect(await desk.run(['tasks', ...args])).toMatchObject({ code: 1, stdout: '' });
  });

  it.each(['show', 'cancel', 'retry', 'promote', 'logs'])('that are not known are a no to %s', async (verb) => {
    const { code, stdout, stderr } = await (await openDesk()).run(['tasks', verb, 'q', 'nobody']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/Task nobody of queue "q" is not known/);
  });

  it('that wait for their next attempt are promoted by retry, dead ones redriven, and it says which', async () => {
    const desk = await openDesk();
    const [delivery] = await deliver(desk.broker, 'q', item('slow'));
    if (delivery) await desk.broker.settle('q', [settlement(delivery, retry(3_600_000))]);
    await die(desk.broker, 'q', [item('other'), item('dead')]);
    const [promoted, redriven] = await Promise.all([
      desk.run(['tasks', 'retry', 'q', 'slow']),
      desk.run(['tasks', 'retry', 'q', 'dead', '--json']),
    ]);
    expect(promoted.stdout).toBe('It was retrying, and waits for a worker now.\n');
    expect(redriven.json()).toMatchObject({ kind: 'redriven', ref: 'q~0~dead' });
    const letters = await serviceOf(desk.broker).list('q');
    expect(letters.letters.map(({ taskId }) => taskId)).toEqual(['other']);
  });

  it('that were discarded cannot be retried', async () => {
    const desk = await openDesk();
    await die(desk.broker, 'q', [item('dead')]);
    const service = serviceOf(desk.broker);
    const [letter] = (await service.list('q')).letters;
    await service.discard('q', letter?.entryId ?? '', { reason: 'test' });
    const { code, stderr } = await desk.run(['tasks', 'retry', 'q', 'dead']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/was discarded, or is past its retention/);
  });

  it('are shown with the lines of their handler', async () => {
    const desk = await openDesk();
    const [delivery] = await deliver(desk.broker, 'q', item('a'));
    await desk.broker.tasks.appendLog({ queue: 'q', taskId: delivery?.taskId ?? '' }, [
      { at: new Date(0), attempt: 1, text: 'half\nway' },
    ]);
    expect((await desk.run(['tasks', 'logs', 'q', 'a'])).stdout).toBe('1970-01-01T00:00:00.000Z attempt 1  half way\n');
  });

  it('that were released do not count that delivery, and it says so once they are delivered again', async () => {
    const desk = await openDesk();
    const [delivery] = await deliver(desk.broker, 'q', item('a'));
    if (!delivery) throw new Error('nothing was delivered');
    expect((await desk.run(['tasks', 'show', 'q', 'a'])).stdout).toMatch(/^deliveries +1$/m);
    await desk.broker.settle('q', [settlement(delivery, { kind: 'release' })]);
    expect((await desk.run(['tasks', 'show', 'q', 'a'])).stdout).toMatch(/^deliveries +0$/m);
    const { deliveries } = await desk.another().work.reclaim('q', 1, '0-0');
    expect(deliveries).toHaveLength(1);
    const { stdout } = await desk.run(['tasks', 'show', 'q', 'a']);
    expect(stdout).toMatch(/^deliveries +1$/m);
  });
});

describe('events', () => {
  it('of a queue that writes none are waited for, and it says what to set', async () => {
    const desk = await openDesk();
    const running = desk.start(['events', 'q']);
    let remarks = '';
    running.child.stderr.on('data', (chunk: Buffer) => (remarks += chunk.toString()));
    await expect.poll(() => remarks, { timeout: 20_000 }).toMatch(/"q" has no events yet.*events: true/);
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 0, stdout: '' });
  });

  it('are followed as JSON lines until Ctrl-C', async () => {
    const desk = await openDesk({ queues: { q: { events: true } } });
    const running = desk.start(['events', 'q', '--after', '0-0', '--json']);
    let seen = '';
    running.child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    await desk.broker.inbox.append('q', [item('a')], 'memory');
    await expect.poll(() => seen, { timeout: 20_000 }).toMatch(/\n/);
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ kind: 'enqueued', queue: 'q', taskId: 'a' });
  });
});
