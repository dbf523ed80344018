/** A server that does not know a command repeats its arguments: the password of AUTH, the payload of a task. */
const REPEATED_ARGUMENTS = /,? with args beginning with: .*/s;

/**
 * Takes out of an error of the client what must not be read in a log: ioredis hangs the command with its arguments on it.
 * The error itself is changed, because its promise and its event share it.
 */
export function withoutSecrets<T>(error: T): T {
  if (!(error instanceof Error)) return error;
  if ('command' in error) delete error.command;
  if (REPEATED_ARGUMENTS.test(error.message)) {
    error.message = error.message.replace(REPEATED_ARGUMENTS, '');
    error.stack = `${error.name}: ${error.message}`;
  }
  // What a Cluster client and an exhausted retry keep of earlier failures.
  if ('lastNodeError' in error) withoutSecrets(error.lastNodeError);
  return error;
}
