// Runs before the version is known and before anything is installed: no dependencies, and what old Node versions have.
import { requireSupportedNode } from './node-version.mjs';

/**
 * The frame of a script of package.json: tells how it is used where `--help` is asked for, and ends the process with its
 * code. What it throws is printed as a sentence, and the code is 1.
 *
 * @param {string} usage
 * @param {(args: readonly string[], print: (line: string) => void) => Promise<number>} run
 * @param {(print: (line: string) => void) => void} [onError] after the sentence
 */
export function runScript(usage, run, onError) {
  requireSupportedNode();
  const args = process.argv.slice(2);
  const print = (/** @type {string} */ line) => console.log(line);
  if (args.includes('--help')) {
    print(usage);
    process.exit(0);
  }
  run(args, print).then(
    (code) => process.exit(code),
    (error) => {
      console.error(error instanceof Error ? error.message : error);
      if (onError) onError(print);
      process.exit(1);
    },
  );
}
