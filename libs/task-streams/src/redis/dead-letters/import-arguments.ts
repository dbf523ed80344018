import type { ImportPlan } from '../../contracts/dead-letter-store.interface.js';
import { failureArgument } from './decode-failure-group.js';
import type { ScriptArgument } from '../connection/run-script.js';

/** What a letter gets anew: where it is counted, when it came, and what is told of it in brief. */
const GIVEN_HERE = new Set(['dead.group', 'dead.at', 'dead.brief']);

/** The arguments of one letter for import.lua. */
export function importArguments({ entryId, letter, fields }: ImportPlan): ScriptArgument[] {
  const isAbout = (name: Buffer | undefined) => name?.subarray(0, 5).toString('latin1') === 'dead.';
  const task: Buffer[] = [];
  const about: Buffer[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [name, value] = fields.slice(i, i + 2) as [Buffer, Buffer];
    if (!GIVEN_HERE.has(name.toString('latin1'))) (isAbout(name) ? about : task).push(name, value);
  }
  const rest: ScriptArgument[] = [
    `${letter.sourceEntryId} ${letter.taskId}`,
    entryId,
    failureArgument(letter.name, letter),
    task.length,
    ...task,
    ...about,
  ];
  return [rest.length + 1, ...rest];
}
