import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BootReport } from '../contracts/server-store.interface.js';
import { replyError } from '../policy/redis-error.js';
import { UnsuitableServerError } from '../task/config-errors.js';
import { RedisUnavailableError } from '../task/redis-unavailable.error.js';
import { ServerWatch } from './server-watch.js';

const REPORT: BootReport = {
  kind: 'redis',
  version: '7.2.0',
  persistence: 'everysec',
  evictionPolicy: 'noeviction',
  maxMemoryBytes: 1_000,
  capabilities: ['waitaof', 'acl|dryrun'],
  address: 'redis.example:6379',
  unanswered: [],
  arePermissionsChecked: true,
  warnings: [],
};

function watchOf(first: () => Promise<BootReport>) {
  const lines: string[] = [];
  const write = (level: string) => (message: unknown) => void lines.push(`${level} ${String(message)}`);
  const log = { log: write('log'), warn: write('warn'), error: write('error'), debug: write('debug') };
  const server = { check: vi.fn(first), report: vi.fn(first) };
  return { watch: new ServerWatch(server, ['mail'], log), lines, server };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('ServerWatch', () => {
  it('introduces the server in one line', async () => {
    const { watch, lines, server } = watchOf(async () => REPORT);
    await watch.start('wait');
    expect(lines).toEqual([
      'log Tasks are kept by redis 7.2.0 at redis.example:6379, eviction noeviction, persistence everysec (a power cut loses about the last ' +
        'second), with waitaof and acl|dryrun',
    ]);
    expect(server.check).toHaveBeenCalledWith(['mail']);
    watch.stop();
  });

  it('warns of a server without an append-only file, and says what that means', async () => {
    const { watch, lines } = watchOf(async () => ({ ...REPORT, persistence: 'none' }));
    await watch.start('wait');
    expect(lines[1]).toMatch(/^warn Redis keeps no append-only file: .* loses .* Set appendonly yes/);
    watch.stop();
  });

  it('says at level debug that rights could not be checked', async () => {
    const { watch, lines } = watchOf(async () => ({ ...REPORT, arePermissionsChecked: false }));
    await watch.start('wait');
    expect(lines[1]).toMatch(/^debug .*ACL DRYRUN/);
    watch.stop();
  });

  it('warns once of each change of the eviction policy, and tells when it is over', async () => {
    const { watch, lines, server } = watchOf(async () => REPORT);
    await watch.start('wait');
    lines.length = 0;
    for (const evictionPolicy of ['allkeys-lru', 'allkeys-lru', 'volatile-ttl', 'noeviction', 'noeviction']) {
      server.report.mockResolvedValueOnce({ ...REPORT, evictionPolicy });
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(lines).toEqual([
      expect.stringMatching(/^warn .*allkeys-lru.*CONFIG SET maxmemory-policy noeviction/),
      expect.stringMatching(/^warn .*volatile-ttl/),
      'log The eviction of Redis is in order again',
    ]);
    watch.stop();
  });

  it('lets the application start without Redis, and checks as soon as it answers', async () => {
    const { watch, lines, server } = watchOf(() => Promise.reject(new RedisUnavailableError('ECONNREFUSED')));
    await watch.start('wait');
    expect(lines).toEqual([expect.stringMatching(/^warn Redis does not answer yet/)]);
    server.check.mockRejectedValue(new UnsuitableServerError('too old'));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(lines.slice(1)).toEqual(['error too old.']);
    server.check.mockResolvedValue(REPORT);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lines.at(-2)).toMatch(/^log Tasks are kept by redis/);
    expect(lines.at(-1)).toBe('log Redis can be used now');
    watch.stop();
  });

  it.each([
    ['an unsuitable server', new UnsuitableServerError('too old'), 'wait'],
    ['a wrong password', new RedisUnavailableError('WRONGPASS', { cause: replyError('WRONGPASS no') }), 'wait'],
    ['no server, where it is told to', new RedisUnavailableError('ECONNREFUSED'), 'fail'],
  ] as const)('fails the boot for %s', async (_, error, onRedisDown) => {
    const { watch } = watchOf(() => Promise.reject(error));
    await expect(watch.start(onRedisDown)).rejects.toBe(error);
  });

  it('looks no more once it is stopped', async () => {
    const { watch, server } = watchOf(async () => REPORT);
    await watch.start('wait');
    watch.stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(server.report).not.toHaveBeenCalled();
  });
});
