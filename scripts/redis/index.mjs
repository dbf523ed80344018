/**
 * A Redis for `npm start` and for tests, in plain Node.
 *
 * @typedef {import('./find-server.mjs').RedisServer} RedisServer
 * @typedef {import('./start-server.mjs').RunningRedis} RunningRedis
 * @typedef {import('./start-server.mjs').StartOptions} StartOptions
 */
export { askRedis, redisInfo } from './ask-redis.mjs';
export { checkRedisUrl, withoutPassword } from './check-url.mjs';
export { NoRedisServerError, findRedisServer } from './find-server.mjs';
export { freePort, isPortFree } from './free-port.mjs';
export { startRedisServer } from './start-server.mjs';
