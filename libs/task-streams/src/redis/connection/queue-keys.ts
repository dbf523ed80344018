/** Names of the keys of one queue. The braces put them all into one slot of a Cluster. */
export interface QueueKeys {
  readonly stream: string;
  readonly delayed: string;
  readonly dead: string;
  readonly deadGroups: string;
  readonly deadCounts: string;
  readonly audit: string;
  readonly owners: string;
  readonly cancels: string;
  /** A list of marks that idle workers wait for. */
  readonly wake: string;
  /** A hash with the version of the format as its field `v`. */
  readonly meta: string;
  /** What happened to tasks lately, where that is written down. */
  readonly events: string;
  record(taskId: string): string;
  log(taskId: string): string;
}

/** The one consumer group of every queue; the scripts know it too. */
export const GROUP = 'workers';

export function queueKeys(prefix: string, queue: string): QueueKeys {
  const base = `${prefix}:{${queue}}:`;
  return {
    stream: `${base}stream`,
    delayed: `${base}delayed`,
    dead: `${base}dead`,
    deadGroups: `${base}dead:groups`,
    deadCounts: `${base}dead:counts`,
    audit: `${base}audit`,
    owners: `${base}owners`,
    cancels: `${base}cancels`,
    wake: `${base}wake`,
    meta: `${base}meta`,
    events: `${base}events`,
    record: (taskId) => `${base}t:${taskId}`,
    log: (taskId) => `${base}l:${taskId}`,
  };
}
