import { createInterface } from 'node:readline/promises';
import { NoFault, UsageFault } from './faults.js';

/** Whether there is somebody who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Asks whether to go on.
 *
 * @throws NoFault where the answer is not yes; UsageFault where nobody can be asked.
 */
export async function confirm(question: string, isSure: boolean): Promise<void> {
  if (isSure) return;
  if (!canAsk()) throw new UsageFault(`${question} Nobody can be asked here: give --yes to go on.`);
  const answer = await ask(`${question} Go on? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new NoFault('Nothing was done.');
}

/**
 * Asks for the name of the queue, where it was not given.
 *
 * @returns the name that was typed, which is the queue's.
 * @throws NoFault where another name was typed; UsageFault where nobody can be asked, or another name was given.
 */
export async function confirmName(question: string, queue: string, given: string | undefined): Promise<string> {
  if (given === undefined && !canAsk()) {
    throw new UsageFault(`${question} Nobody can be asked here: give --confirm ${queue} to go on.`);
  }
  if (given !== undefined && given !== queue) {
    throw new UsageFault(`--confirm is "${given}", and the queue is "${queue}": give its name to go on.`);
  }
  if (given !== undefined) return given;
  const answer = (await ask(`${question}\nType the name of the queue to go on: `)).trim();
  if (answer !== queue) throw new NoFault(`That was not "${queue}": nothing was done.`);
  return answer;
}

async function ask(question: string): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve) => {
      // Ctrl-D and Ctrl-C are no answer.
      prompt.once('close', () => resolve(''));
      void prompt.question(question).then(resolve, () => resolve(''));
    });
  } finally {
    prompt.close();
  }
}
