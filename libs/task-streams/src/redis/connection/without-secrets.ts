/** A server that does not know a command repeats its arguments: the password of AUTH, the payload of a task. */
const REPEATED_ARGUMENTS = /,? with args beginning with: .*/s;

/**
 * Takes out of an error of the client what must not be read in a log: ioredis hangs the command with its arguments on it.
 * The error itself is changed, because its promise and its event share it.
 */
export function withoutSecrets<T>(error: T): T {
  if (!(error instanceof Error)) return error;
  nameDenied(error);
  if ('command' in error) delete error.command;
  if (REPEATED_ARGUMENTS.test(error.message)) {
    error.message = error.message.replace(REPEATED_ARGUMENTS, '');
    error.stack = `${error.name}: ${error.message}`;
  }
  // What a Cluster client and an exhausted retry keep of earlier failures.
  if ('lastNodeError' in error) withoutSecrets(error.lastNodeError);
  return error;
}

/** What the server says of a key that may not be used leaves out which. */
const DENIED_KEY = /^NOPERM\b.*\bkeys?\b|^ERR (ACL failure in script|The user executing the script)\b/;

/** Adds the command and the key to a refusal for want of rights. Keys are names of queues and ids. */
function nameDenied(error: Error & { readonly command?: unknown }): void {
  const { name, args } = (error.command ?? {}) as { readonly name?: string; readonly args?: readonly unknown[] };
  if (name === undefined || args === undefined || !DENIED_KEY.test(error.message)) return;
  const key = keyOf(name.toLowerCase(), args);
  if (typeof key === 'string') error.message += ` (${name} of ${key.replace(/(?<=\}:)stream$/, '*')})`;
}

function keyOf(name: string, args: readonly unknown[]): unknown {
  if (name === 'eval' || name === 'evalsha') return args[2];
  return ['xgroup', 'xinfo'].includes(name) ? args[1] : args[0];
}
