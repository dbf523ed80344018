import { readFile } from 'node:fs/promises';
import { ShopClient } from './smoke/shop-client.js';
import type { Step, Surroundings } from './smoke/step.js';
import { doubleDebitStep } from './smoke/steps/double-debit.step.js';
import { fastAnswerStep } from './smoke/steps/fast-answer.step.js';
import { healthStep } from './smoke/steps/health.step.js';
import { killedWorkerStep } from './smoke/steps/killed-worker.step.js';
import { pageStep } from './smoke/steps/page.step.js';
import { poisonStep } from './smoke/steps/poison.step.js';
import { sickPartnerStep } from './smoke/steps/sick-partner.step.js';

/** In this order: the export that loses its worker comes last, so that the others have both. */
const STEPS: readonly Step[] = [
  healthStep,
  pageStep,
  fastAnswerStep,
  doubleDebitStep,
  sickPartnerStep,
  poisonStep,
  killedWorkerStep,
];

/** Runs the whole story against a shop that is up: SMOKE_URL, and SMOKE_WORKER_PIDS_FILE, a JSON list of pids. */
async function smoke(): Promise<number> {
  const { SMOKE_URL: url, SMOKE_WORKER_PIDS_FILE: pidsFile } = process.env;
  if (!url || !pidsFile) {
    print('Set SMOKE_URL and SMOKE_WORKER_PIDS_FILE, or run: npm start -- --smoke');
    return 1;
  }
  const workerPids = async (): Promise<number[]> => JSON.parse(await readFile(pidsFile, 'utf8')) as number[];
  let failures = 0;
  for (const step of STEPS) failures += (await holds(step, { shop: new ShopClient(url), workerPids })) ? 0 : 1;
  return failures === 0 ? 0 : 1;
}

async function holds({ promise, check }: Step, surroundings: Surroundings): Promise<boolean> {
  const begun = performance.now();
  try {
    const seen = await check(surroundings);
    print(`ok    ${promise} (${seen}) ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    return true;
  } catch (error) {
    print(`FAIL  ${promise}: ${explain(error)}`);
    return false;
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${explain(error.cause)})`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await smoke();
