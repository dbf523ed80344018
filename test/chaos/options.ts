import { parseArgs } from 'node:util';

export interface ChaosOptions {
  /** Names of scenarios in lower case; empty for all. */
  readonly scenarios: readonly string[];
  readonly scale: number;
  readonly seed: number;
  /** Kinds of faults and of tasks a mixed run is made of; `undefined` for all. */
  readonly only: ReadonlySet<string> | undefined;
  /** Look for a smaller run that still fails. */
  readonly isShrinking: boolean;
  readonly resume: boolean;
  readonly list: boolean;
  readonly json: string | undefined;
  /** Files that `--json` has written: nothing is run, the page of results is made of them. */
  readonly resultFiles: readonly string[];
}

/** @throws Error for what cannot be meant. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      scenario: { type: 'string', multiple: true },
      scale: { type: 'string', default: '1' },
      seed: { type: 'string', default: '42' },
      only: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
      resume: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      json: { type: 'string' },
      'write-docs': { type: 'boolean', default: false },
    },
  });
  const scale = Number(values.scale);
  const seed = Number(values.seed);
  if (!(scale > 0 && scale <= 100)) throw new Error(`--scale ${values.scale}: give a number above 0, at most 100`);
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed ${values.seed}: give a whole number`);
  const scenarios = (values.scenario ?? []).flatMap(listed);
  const only = values.only === undefined ? undefined : new Set(listed(values.only));
  const isShrinking = !values['no-shrink'] && only === undefined;
  const { resume, list, json, 'write-docs': isWriting } = values;
  if (isWriting && positionals.length === 0) throw new Error('--write-docs: name the files that --json has written');
  if (!isWriting && positionals.length > 0) throw new Error(`${positionals.join(' ')}: see npm run chaos -- --help`);
  return { scenarios, scale, seed, only, isShrinking, resume, list, json, resultFiles: positionals };
}

function listed(names: string): string[] {
  return names.split(',').map((name) => name.trim().toLowerCase());
}
