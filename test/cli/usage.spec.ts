import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/redis/index.mjs';
import { item } from '../support/broker/open-broker.js';
import { startTestRedis } from '../support/redis-server.js';
import { runBuiltCli } from './support/built-cli.js';
import { openDesk } from './support/open-desk.js';
import { runCli } from './support/run-cli.js';

const NOWHERE = { url: 'redis://127.0.0.1:1' };

describe('wrong usage', () => {
  it.each([
    [['nonsense'], /unknown command 'nonsense'/],
    [['stats', '--colour'], /unknown option '--colour'/],
    [['stats', '--fail-if', 'backlog>1'], /"backlog" is none of waiting, delayed/],
    [['stats', '--fail-if', 'waiting>many'], /"many" is no number/],
    [['stats', '--watch', 'payments'], /Give a number from 0.1 to 3600/],
    [['queues', 'show'], /missing required argument 'queue'/],
    [['queues', 'show', 'a', 'b'], /too many arguments/],
    [['tasks', 'ls', 'q', '--limit', '101'], /whole number from 1 to 100/],
    [['tasks', 'ls', 'q', '--state', 'completed'], /Allowed choices are waiting, active/],
    [['tasks', 'enqueue', 'q', 'job'], /required option '--payload <json>' not specified/],
    [['tasks', 'reschedule', 'q', 'a', '--delay', '10'], /a number with ms, s, m, h or d/],
    [['dlq', 'ls', 'q', '--since', 'yesterday'], /2026-11-29T10:00:00Z, or how long ago/],
    [['dlq', 'redrive', 'q', '--all', '--rate', '0'], /a number from 0.1 to 100000/],
    [['doctor', '--max-wait', 'long'], /a number with ms, s, m, h or d/],
  ])('%j exits with 2 before it looks for Redis', async (args, message) => {
    const { code, stdout, stderr } = await runCli(args, NOWHERE);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/See: task-streams/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it.each([
    [['redis://me:s3cret@host', 'stats'], /unknown command 'redis:\/\/…@host'/],
    [['stats', '--to=redis://me:s3cret@host'], /unknown option '--to=redis:\/\/…@host'/],
    [['stats', '--url', 'http://me:s3cret@host'], /give a URL such as redis:/],
    [['stats', '--url', 'redis://me:50%s3cret@host'], /a password must be percent-encoded/],
    [['stats', '--fail-if', 'redis://me:s3cret@host'], /redis:\/\/…@host/],
  ])('%j shows no password', async (args, message) => {
    const { code, stderr } = await runCli(args, NOWHERE);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('s3cret');
  });

  it.each([
    [['queues', 'show', 'a{b}'], /Queue name "a\{b\}" cannot be used: it contains braces/],
    [['dlq', 'redrive', 'q'], /Say which letters/],
    [['dlq', 'redrive', 'q', '1-1', '--all'], /one of the three/],
    [['dlq', 'redrive', 'q', '--all'], /Nobody can be asked here: give --yes/],
    [['dlq', 'redrive', 'q', 'x'], /Dead letter "x" cannot be used/],
    [['dlq', 'redrive', 'q', '--all', '--yes', '--patch', '7'], /--patch is no JSON object/],
    [['dlq', 'redrive', 'q', '--all', '--yes', '--resume', 'x'], /give the cursor of an earlier report/],
    [['dlq', 'discard', 'q', '1-1', '--yes'], /give --because/],
    [['dlq', 'purge', 'q', '--all', '--because', 'x'], /give --confirm q/],
    [['dlq', 'purge', 'q', '--all', '--because', 'x', '--confirm', 'p'], /--confirm is "p", and the queue is "q"/],
    [['dlq', 'import', 'q', 'no/such/file'], /no\/such\/file cannot be read/],
    [['queues', 'drain', 'q'], /give --yes/],
    [['queues', 'purge', 'q'], /give --confirm q/],
    [['tasks', 'enqueue', 'q', 'job', '--payload', '{'], /its value is no JSON/],
    [['tasks', 'enqueue', 'q', 'job', '--payload', '@no-such-file'], /no-such-file cannot be read/],
    [['tasks', 'enqueue', 'q', 'a/b', '--payload', '{}'], /Task name "a\/b" cannot be used/],
    [['tasks', 'enqueue', 'q', 'job', '--payload', '1', '--delay', '1s', '--at', '2030-01-01'], /give one of them/],
    [['tasks', 'forget-key', 'q', 'job', 'k'], /can happen a second time. Nobody can be asked here: give --yes/],
    [['tasks', 'forget-key', 'q', 'a/b', 'k', '--yes'], /Task name "a\/b" cannot be used/],
    [['tasks', 'reschedule', 'q', 'a'], /Give --delay or --at/],
    [['tasks', 'show', 'no-ref'], /Task reference "no-ref" cannot be used/],
    [['tasks', 'ls', 'q', '--after', 'x'], /give the cursor of the page before/],
  ])('%j exits with 2 and says what to do', async (args, message) => {
    const { code, stdout, stderr } = await (await openDesk()).run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('refuses a URL that is none without showing the password in it', async () => {
    const { code, stderr } = await runBuiltCli(['stats'], { url: 'http://user:geheim@host' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/Option connection.url/);
    expect(stderr).not.toContain('geheim');
  });
});

describe('a Redis that cannot be used', () => {
  it('exits with 3 where nobody listens, in one line', async () => {
    const { code, stdout, stderr } = await runBuiltCli(['stats'], { url: `redis://127.0.0.1:${await freePort()}` });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/^error: Redis did not answer: no connection to 127\.0\.0\.1:\d+ .*ECONNREFUSED/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('exits with 3 where somebody listens who says nothing', async () => {
    const server = createServer(() => undefined);
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const { code } = await runBuiltCli(['doctor'], { url: `redis://127.0.0.1:${port}` });
    server.close();
    expect(code).toBe(3);
  });

  it('exits with 3 for a wrong password, and does not show it', async () => {
    const server = await startTestRedis({ extraArgs: ['--requirepass', 'right'] });
    const { code, stderr } = await runCli(['stats'], { url: server.url.replace('//', '//:geheim@') });
    await server.stop();
    expect(code).toBe(3);
    expect(stderr).toMatch(/WRONGPASS.*Correct the user name and the password/);
    expect(stderr).not.toContain('geheim');
  });

  it('shows where an error came from with --debug', async () => {
    const { stderr } = await runCli(['stats', '--debug'], NOWHERE);
    expect(stderr).toMatch(/^\s+at /m);
  });
});

describe('the answers', () => {
  it('end quietly where the reader has seen enough', async () => {
    const desk = await openDesk();
    const items = Array.from({ length: 100 }, (_, i) => item(`task-${i}`, { text: 'x'.repeat(100) }));
    await desk.broker.inbox.append('q', items, 'memory');
    const { child, ended } = desk.start(['tasks', 'ls', 'q', '--limit', '100', '--json']);
    child.stdout.destroy();
    ended.catch(() => undefined);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('have no colours and no control characters in a pipe', async () => {
    const desk = await openDesk();
    const red = '\u001b[31mred\u001b[0m\u0007\u009b2J';
    await desk.broker.inbox.append('q', [item('a', {}, { name: red })], 'memory');
    for (const args of [
      ['tasks', 'ls', 'q'],
      ['tasks', 'show', 'q', 'a'],
      ['tasks', 'show', 'q', 'a', '--json'],
    ]) {
      const { code, stdout } = await desk.run(args);
      expect(code).toBe(0);
      // These are what a terminal obeys; an answer has lines.
      expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }
  });
});

describe('a unix socket', () => {
  it('is reached by its URL', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'socket-'));
    const socket = path.join(folder, 'redis.sock');
    const server = await startTestRedis({ extraArgs: ['--unixsocket', socket] });
    try {
      const { code, stdout } = await runBuiltCli(['doctor'], { url: `unix://${socket}?db=1` });
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^ok +version/m) });
    } finally {
      await server.stop();
      await rm(folder, { recursive: true });
    }
  });
});
