import type { Redis } from 'ioredis';

/** A client of one server. On a Cluster there is one for each primary. */
export type RedisClient = Redis;
