import type { Cluster, Redis } from 'ioredis';

/** A client of any topology. */
export type RedisClient = Redis | Cluster;
