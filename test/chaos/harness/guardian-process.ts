// Ends what the harness has started when the harness itself was killed: SIGKILL also ends a process that is stopped.
import { readFileSync } from 'node:fs';

/** By pid: when the process was started, so that another one that got the same number is left alone. */
const watched = new Map<number, string | undefined>();

/** Where there is no /proc the number has to do. */
function startOf(pid: number): string | undefined {
  try {
    // The name of the program is in parentheses and may hold spaces; the start is the 20th field after it.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}

process.on('message', ({ add, remove }: { readonly add?: number; readonly remove?: number }) => {
  if (add !== undefined) watched.set(add, startOf(add));
  if (remove !== undefined) watched.delete(remove);
});

process.once('disconnect', () => {
  for (const [pid, startedAt] of watched) {
    if (startOf(pid) !== startedAt) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
  process.exit(0);
});
