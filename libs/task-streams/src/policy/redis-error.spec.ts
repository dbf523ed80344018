import { describe, expect, it } from 'vitest';
import { classifyRedisError, cureOf, isMemoryFull, replyError } from './redis-error.js';

describe('classifyRedisError', () => {
  it.each([
    ['LOADING Redis is loading the dataset in memory', 'transient'],
    ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', 'transient'],
    ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'transient'],
    ['CLUSTERDOWN The cluster is down', 'transient'],
    ['TRYAGAIN Multiple keys request during rehashing of slot', 'transient'],
    ['ERR max number of clients reached', 'transient'],
    ["READONLY You can't write against a read only replica.", 'topology'],
    ['UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)', 'topology'],
    ['MOVED 3999 127.0.0.1:6381', 'cluster'],
    ['ASK 3999 127.0.0.1:6381', 'transient'],
    // Redis 7.0 to 8.0 and Valkey 8.1, in a slot that is on the move.
    ['ERR Script attempted to access a non local key in a cluster node script: 1f, on @user_script:3.', 'transient'],
    ['Script attempted to access a slot not served', 'transient'],
    ['ERR Script attempted to execute a write command while the cluster is down and readonly', 'transient'],
    ['ERR Script attempted to access keys that do not hash to the same slot script: 1f', 'config'],
    ["ERR Command 'set' in script attempted to access keys that don't hash to the same slot", 'config'],
    ['ERR WAIT cannot be used with replica instances. Please also note that writes are just local.', 'topology'],
    ['ERR WAITAOF cannot be used with replica instances.', 'topology'],
    ['NOSCRIPT No matching script. Please use EVAL.', 'no-script'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'writes-refused'],
    [
      'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
      'writes-refused',
    ],
    ['NOREPLICAS Not enough good replicas to write.', 'writes-refused'],
    ['NOAUTH Authentication required.', 'config'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'config'],
    ["NOPERM User mail has no permissions to run the 'xadd' command", 'config'],
    ["ERR The user executing the script can't run this command or subcommand script: 1f, on @user_script:3.", 'config'],
    ["ERR The user executing the script can't publish to the channel mentioned in the command", 'config'],
    ["ERR ACL failure in script: User default has no permissions to run the 'xreadgroup' command", 'config'],
    ["ERR ACL failure in script: User a has no permissions to access the 'ts:{q}:stream' key script: 1f", 'config'],
    ["ERR unknown command 'EVALSHA'", 'config'],
    ["CROSSSLOT Keys in request don't hash to the same slot", 'config'],
    ["NOGROUP No such key 'x' or consumer group 'workers' in XREADGROUP with GROUP option", 'missing-queue'],
    ['UNBLOCKED the stream key no longer exists', 'missing-queue'],
    ['WRONGTYPE Operation against a key holding the wrong kind of value script: 1f, on @user_script:3.', 'wrong-type'],
    ['BUSYGROUP Consumer Group name already exists', 'unknown'],
    ['ERR something nobody has heard of', 'unknown'],
  ])('%s is %s', (reply, expected) => {
    expect(classifyRedisError(replyError(reply))).toBe(expected);
  });

  it.each(['connect ECONNREFUSED 127.0.0.1:6379', 'Connection is closed.', 'Command timed out'])(
    'whatever is no reply is of the connection: %s',
    (message) => expect(classifyRedisError(new Error(message))).toBe('connection'),
  );
});

it('tells what to do about what somebody can change', () => {
  expect(cureOf(replyError('NOPERM no'))).toContain('ACL SETUSER');
  expect(cureOf(replyError('LOADING'))).toBeUndefined();
});

it('tells a full memory from a full disk', () => {
  expect([isMemoryFull(replyError('OOM command not allowed')), isMemoryFull(replyError('MISCONF'))]).toEqual([
    true,
    false,
  ]);
});
