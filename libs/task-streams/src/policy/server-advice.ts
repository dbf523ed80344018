/** How writes get to the disk of a server: never, once a second, before each reply, when it likes; or nobody may ask. */
export type Persistence = 'none' | 'everysec' | 'always' | 'no-fsync' | 'unknown';

/** What it takes to judge whether a server may throw tasks away. */
export interface MemorySettings {
  readonly evictionPolicy: string;
  /** 0 for no limit, `undefined` where the server does not say. */
  readonly maxMemoryBytes: number | undefined;
}

/** What to do about a server that may throw tasks away; `undefined` for one that does not. */
export function evictionAdvice({ evictionPolicy, maxMemoryBytes }: MemorySettings): string | undefined {
  if (evictionPolicy === 'noeviction' || evictionPolicy === 'unknown' || maxMemoryBytes === 0) return undefined;
  const limit = maxMemoryBytes === undefined ? 'its maxmemory' : `${maxMemoryBytes} bytes`;
  return (
    `The maxmemory-policy of Redis is ${evictionPolicy}: at ${limit} it deletes tasks, or the marks that keep them from ` +
    'running twice. Run CONFIG SET maxmemory-policy noeviction (and set it in redis.conf), or use a server of its own'
  );
}

/** What becomes of tasks when the server, or its machine, fails. */
export function describePersistence(persistence: Persistence): string {
  switch (persistence) {
    case 'none':
      return 'a crash of Redis loses what came since its last snapshot';
    case 'everysec':
      return 'a power cut loses about the last second';
    case 'always':
      return 'what was answered is on the disk';
    case 'no-fsync':
      return 'a power cut loses what the system had not written yet, about half a minute';
    case 'unknown':
      return 'this server does not tell how it writes to its disk';
  }
}

/** What to do about how the server keeps its data; `undefined` where nothing is to be done. */
export function persistenceAdvice(persistence: Persistence): string | undefined {
  if (persistence === 'none') {
    return `Redis keeps no append-only file: ${describePersistence(persistence)}. Set appendonly yes if tasks must outlive it`;
  }
  if (persistence === 'no-fsync') {
    return `The appendfsync of Redis is no: ${describePersistence(persistence)}. Set appendfsync everysec`;
  }
  return undefined;
}
