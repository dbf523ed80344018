import type { ConnectionRole } from '../../options/task-streams-options.js';
import { InvalidOptionError } from '../../task/config-errors.js';

interface ClientSettings {
  readonly commandTimeout?: unknown;
  readonly monitor?: unknown;
  readonly stringNumbers?: unknown;
  readonly redisOptions?: ClientSettings;
}

/**
 * Looks at a client that `createClient` has made: options that suit a cache break a queue, and the ones given for the role may
 * have been overwritten.
 *
 * @throws InvalidOptionError that names the option.
 */
export function requireUsableClient(role: ConnectionRole, client: { readonly options?: unknown }): void {
  // A client of the user's own kind may have no options; those of a Cluster are one step further in.
  const options = (client.options ?? {}) as ClientSettings;
  const { commandTimeout, monitor, stringNumbers } = { ...options, ...options.redisOptions };
  if (stringNumbers === true) refuse('stringNumbers', 'numbers in replies would be text');
  if (monitor === true) refuse('monitor', 'such a connection runs no commands');
  const isBlocking = role === 'reader' || role === 'durable';
  if (isBlocking && typeof commandTimeout === 'number')
    refuse(
      'commandTimeout',
      `the ${role} connection waits by design, and a time-out loses the answer that is on its way`,
    );
}

function refuse(name: string, why: string): never {
  const cure = `${why}. Give the client the options that createClient is called with, after your own, and not ${name}`;
  throw new InvalidOptionError(`connection.createClient → ${name}`, true, cure);
}
