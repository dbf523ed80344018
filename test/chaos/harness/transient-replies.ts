/** What Redis answers while it is not itself for a while: the same command works again soon. */
export const TRANSIENT_REPLIES = [
  'LOADING Redis is loading the dataset in memory',
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  'CLUSTERDOWN The cluster is down',
  'TRYAGAIN Multiple keys request during rehashing of slot',
  'ERR max number of clients reached',
  "READONLY You can't write against a read only replica.",
  'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
] as const;
