import { parseArgs } from 'node:util';

export interface ChaosOptions {
  /** Names of scenarios in lower case; empty for all. */
  readonly scenarios: readonly string[];
  readonly scale: number;
  readonly seed: number;
  readonly resume: boolean;
  readonly list: boolean;
  readonly json: string | undefined;
}

/** @throws Error for what cannot be meant. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string', multiple: true },
      scale: { type: 'string', default: '1' },
      seed: { type: 'string', default: '42' },
      resume: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  const scale = Number(values.scale);
  const seed = Number(values.seed);
  if (!(scale > 0 && scale <= 100)) throw new Error(`--scale ${values.scale}: give a number above 0, at most 100`);
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed ${values.seed}: give a whole number`);
  const scenarios = (values.scenario ?? [])
    .flatMap((names) => names.split(','))
    .map((name) => name.trim().toLowerCase());
  return { scenarios, scale, seed, resume: values.resume, list: values.list, json: values.json };
}
