import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { clientOptionsOf } from './check-connection.js';
import { refusal } from './refusal.spec-support.js';
import { resolveOptions } from './resolve-options.js';
import type { ConnectionOptions, TaskStreamsOptions } from './task-streams-options.js';

const SECRET = 's3cr3t-Passw0rd';

function connectionOf(connection: unknown): ConnectionOptions {
  return resolveOptions({ connection } as TaskStreamsOptions).connection;
}

/** What the client is made with. */
function clientOf(connection: unknown): Readonly<Record<string, unknown>> {
  return clientOptionsOf(connectionOf(connection));
}

describe('connection', () => {
  it.each([
    { url: 'rediss://user:pw@host:6380/0' },
    { options: { host: 'redis', db: 2 } },
    { url: 'redis://host', options: { keepAlive: 1_000 } },
    { createClient: (): never => expect.unreachable() },
  ])('takes %o', (connection) => {
    expect(connectionOf(connection)).toEqual(connection);
  });

  it('is the Redis of this machine where nothing is given', () => {
    expect(connectionOf({})).toEqual({ url: 'redis://localhost:6379' });
    expect(connectionOf(undefined)).toEqual({ url: 'redis://localhost:6379' });
  });

  it('takes a URL as it comes from the environment', () => {
    expect(connectionOf(' redis://localhost:7000\n')).toEqual({ url: 'redis://localhost:7000' });
  });

  it.each([
    ['connection.url', { url: 'localhost:6379' }],
    ['connection.url', { url: 'http://localhost:6379' }],
    ['connection.url', { url: '' }],
    ['connection.url', { url: 7 }],
    ['connection.url', { url: null }],
    ['connection.url', { url: new URL('redis://host') }],
    ['connection.options', { options: 'redis://localhost' }],
    ['connection.options.url', { options: { url: 'redis://localhost' } }],
    ['connection.options.role', { options: { role: 'slave', sentinels: [], name: 'main' } }],
    ['connection.createClient', { createClient: {} }],
    ['connection', { createClient: () => undefined, url: 'redis://a' }],
    ['connection', ''],
    ['connection', 'localhost'],
    ['connection', 7],
  ])('%s is refused: %o', (path, connection) => {
    expect(refusal({ connection })).toMatchObject({ option: path });
  });

  it.each(['host', 'port', 'password', 'username', 'db', 'tls', 'sentinels', 'path'])(
    'says where %s belongs, which other libraries take beside the URL',
    (name) => {
      const { option, message } = refusal({ connection: { [name]: 'a' } });
      expect(option).toBe(`connection.${name}`);
      expect(message).toContain(`connection: { options: { ${name}: … } }`);
    },
  );

  it('refuses a key prefix of ioredis and names the option that works', () => {
    expect(refusal({ connection: { options: { keyPrefix: 'shop:' } } }).message).toMatch(
      /connection\.options\.keyPrefix .* use the option prefix/,
    );
    expect(refusal({ connection: { url: 'redis://localhost?keyPrefix=shop' } }).message).toContain(
      'use the option prefix',
    );
    expect(connectionOf({ options: { keyPrefix: '' } })).toEqual({ options: { keyPrefix: '' } });
  });
});

describe('a URL', () => {
  it.each([
    ['redis://h', { host: 'h', port: 6379 }],
    ['redis://h:7000/3', { host: 'h', port: 7000, db: 3 }],
    ['redis://h/?db=4&family=6', { host: 'h', port: 6379, db: 4, family: 6 }],
    ['redis:///2', { host: 'localhost', port: 6379, db: 2 }],
    ['redis://[::1]:7000', { host: '::1', port: 7000 }],
    ['redis://:pw@h', { host: 'h', port: 6379, password: 'pw' }],
    ['redis://me:p%40s%2Fs%25@h', { host: 'h', port: 6379, username: 'me', password: 'p@s/s%' }],
    ['redis://me:p@ss@h', { host: 'h', port: 6379, username: 'me', password: 'p@ss' }],
    ['rediss://h', { host: 'h', port: 6379, tls: true }],
    ['unix:///run/redis.sock', { path: '/run/redis.sock' }],
    ['redis+unix:///run/a%20b.sock?db=2', { path: '/run/a b.sock', db: 2 }],
    ['unix://me:p%23w@/run/redis.sock', { path: '/run/redis.sock', username: 'me', password: 'p#w' }],
    ['unix:///r.sock?username=me&password=p%26w', { path: '/r.sock', username: 'me', password: 'p&w' }],
  ])('%s is read as %o', (url, expected) => {
    expect(clientOf(url)).toEqual(expected);
  });

  it.each([
    'redis://me:50%off@host',
    'redis://50%off@host',
    'redis://me:a/s3@host',
    'redis://me:12/s3@host',
    'redis://me:12?s3=x@host',
    'redis://me:12#s3@host',
    'redis://me:a#s3@host',
    'redis://me:a@b/s3@host',
    'redis://me:a@b?s3=x@host',
    'unix://me:50%off@/run/redis.sock',
  ])('%s says that the password must be percent-encoded, and shows none of it', (url) => {
    const { message } = refusal({ connection: { url } });
    expect(message).toMatch(/a password must be percent-encoded \(encodeURIComponent/);
    expect(message).not.toMatch(/s3|off|me:/);
  });

  it.each([
    ['unix://run/redis.sock', /begins with a third slash/],
    ['unix:///', /it has no path/],
    ['redis://host/1?db=2', /it names two databases/],
    ['redis://host/shop', /its database is a whole number/],
    ['redis://host?family=5', /its family is 4 or 6/],
    // ioredis would take them, ahead of what decides about reliability.
    ['redis://host?commandTimeout=200', /connection\.url\?commandTimeout .*as connection\.options/],
    ['redis://host?maxRetriesPerRequest=20', /connection\.url\?maxRetriesPerRequest/],
  ])('%s is refused', (url, message) => {
    expect(refusal({ connection: { url } }).message).toMatch(message);
  });
});

describe('a URL with options', () => {
  it('gives address, user, password and database, and the options give the rest', () => {
    const tls = { ca: 'PEM' };
    expect(clientOf({ url: 'rediss://me:pw@h:7000/2', options: { tls, keepAlive: 5 } })).toEqual({
      ...{ host: 'h', port: 7000, username: 'me', password: 'pw', db: 2 },
      ...{ tls, keepAlive: 5 },
    });
  });

  it('takes from the options what the URL leaves out', () => {
    expect(clientOf({ url: 'redis://me@h', options: { password: 'pw', db: 1, tls: {} } })).toEqual({
      ...{ host: 'h', port: 6379, username: 'me', password: 'pw', db: 1, tls: {} },
    });
  });

  it.each([
    ['host', 'redis://h', { host: 'h' }],
    ['port', 'redis://h', { port: 6379 }],
    ['path', 'redis://h', { path: '/run/redis.sock' }],
    ['sentinels', 'redis://h', { sentinels: [] }],
    ['password', 'redis://:pw@h', { password: SECRET }],
    ['username', 'redis://me:pw@h', { username: 'me' }],
    ['db', 'redis://h/0', { db: 0 }],
    ['tls', 'rediss://h', { tls: false }],
    ['family', 'redis://h?family=6', { family: 4 }],
  ])('refuses %s in both', (name, url, options) => {
    const { option, message } = refusal({ connection: { url, options } });
    expect(option).toBe(`connection.options.${name}`);
    expect(message).toContain('give');
    expect(message).not.toMatch(/pw|s3cr3t/);
  });
});

describe('what may be a secret', () => {
  const URL_WITH_IT = `redis://me:${SECRET}@h:1`;

  it.each([
    { connection: `http://me:${SECRET}@h` },
    { connection: SECRET },
    { connection: [URL_WITH_IT] },
    { connection: { url: URL_WITH_IT, options: { password: SECRET } } },
    { connection: { url: URL_WITH_IT, createClient: () => undefined } },
    { connection: { url: URL_WITH_IT, password: SECRET } },
    { connection: { host: 'h', password: SECRET } },
    { connection: { options: SECRET } },
    { connection: { options: [SECRET] } },
    { connection: { options: { keyPrefix: SECRET } } },
    { connection: { options: { url: URL_WITH_IT } } },
    { connection: { createClient: SECRET } },
    { connection: { url: { href: SECRET } } },
    { connection: { url: [URL_WITH_IT] } },
    { connection: { url: SECRET } },
    { connection: { [URL_WITH_IT]: true } },
    { connection: { sentinelPassword: SECRET } },
    { password: SECRET },
    { redisPassword: SECRET },
    { REDIS_URL: SECRET },
    { redis: SECRET },
    { auth: SECRET },
    { user: SECRET },
    { prefix: URL_WITH_IT },
    { mode: URL_WITH_IT },
    { concurrency: URL_WITH_IT },
    { queues: URL_WITH_IT },
    { redact: URL_WITH_IT },
    { retry: { backoff: URL_WITH_IT } },
    URL_WITH_IT,
  ])('is not in the error of %o', (options) => {
    expect(inspect(refusal(options), { depth: 9, showHidden: true })).not.toContain(SECRET);
  });

  it('is not hidden where it is none', () => {
    expect(refusal({ mode: 'producr' }).message).toContain('"producr"');
    expect(refusal({ prefix: 'a b' }).message).toContain('"a b"');
  });
});
