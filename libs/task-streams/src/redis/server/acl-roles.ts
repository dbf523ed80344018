import { loadScript } from '../connection/load-script.js';
import { SCRIPT_NAMES, type ScriptName } from '../connection/redis-session.js';
import { commandsOf } from './required-commands.js';

/**
 * What a user of Redis is for. A producer enqueues, follows, reads and cancels tasks; a worker does everything an application
 * can do; an operator looks after queues and dead letters, as the CLI does.
 */
export type AclRole = 'producer' | 'worker' | 'operator';

interface Role {
  readonly scripts: readonly ScriptName[];
  /** What is called beside scripts. */
  readonly direct: readonly string[];
  /** Without these one function fails, and everything else works. */
  readonly wanted: readonly string[];
}

const DURABILITY = ['WAIT', 'WAITAOF'];
const READS = ['EVAL', 'EVALSHA', 'GET', 'HGET', 'LRANGE', 'XRANGE', 'XREVRANGE', 'ZADD queues'];

const ROLES: Readonly<Record<AclRole, Role>> = {
  producer: {
    scripts: ['append', 'cancel', 'get', 'inspect', 'list', 'probe', 'publish', 'reschedule'],
    direct: READS,
    wanted: DURABILITY,
  },
  worker: {
    scripts: SCRIPT_NAMES,
    direct: [...READS, 'BLPOP', 'HGETALL', 'XACK', 'XLEN', 'XPENDING', 'ZRANGE queues'],
    wanted: [...DURABILITY, 'CLIENT ID', 'CLIENT UNBLOCK'],
  },
  operator: {
    scripts: [
      ...([
        'append',
        'audit',
        'cancel',
        'check-redrive',
        'discard',
        'drain',
        'foreign',
        'forget-id',
        'forget-key',
      ] as const),
      ...([
        'get',
        'import',
        'inspect',
        'list',
        'pause',
        'preview',
        'probe',
        'publish',
        'redrive',
        'reschedule',
        'workers',
      ] as const),
    ],
    direct: [...READS, 'HGETALL', 'TIME', 'XLEN', 'ZRANGE queues'],
    wanted: DURABILITY,
  },
};

/** What the library asks the server about itself, and does without. ACL SETUSER names. */
const ASKED = ['acl|dryrun', 'acl|whoami', 'command|info', 'config|get', 'info', 'role', 'select'];

/** The commands of a role, by the names of `required-commands.ts`. */
export function commandsOfRole(role: AclRole): {
  readonly required: readonly string[];
  readonly wanted: readonly string[];
} {
  const { scripts, direct, wanted } = ROLES[role];
  return { required: [...new Set([...direct, ...commandsOf(scripts.map(loadScript))])], wanted };
}

/** A name of `required-commands.ts` as ACL SETUSER has it. */
export function aclNameOf(command: string): string {
  return command
    .replace(/ queues$/, '')
    .replace(' ', '|')
    .toLowerCase();
}

/** Every rule of a role but the keys, for a server that has these commands; sorted. WAITAOF came with Redis 7.2. */
export function aclRules(role: AclRole, { hasWaitaof }: { readonly hasWaitaof: boolean }): string[] {
  const { required, wanted } = commandsOfRole(role);
  const names = [...required, ...wanted].filter((name) => hasWaitaof || name !== 'WAITAOF').map(aclNameOf);
  const loads = role === 'operator' ? ['script|load'] : [];
  return [...new Set([...names, ...ASKED, ...loads])].toSorted().map((name) => `+${name}`);
}
