import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkerProcess } from './worker-process.js';

/** For the one who looks into a failure: what the workers said, beside the ledger. */
export function keepLogs(dir: string, workers: readonly WorkerProcess[]): void {
  const logs = workers.map(({ pid, log }) => `--- worker ${pid}\n${log}`);
  writeFileSync(path.join(dir, 'workers.log'), logs.join('\n'));
}
