import type { ExportedFile } from '../../tax-exports/export-taxes.task.js';
import type { TaxExport } from '../../tax-exports/tax-export-view.js';
import { expectThat, type Step } from '../step.js';
import { until } from '../until.js';

// As many as an export may have, so that it takes long enough to be killed in the middle.
const ROWS = 5_000_000;
const HEAD_AND_TOTALS = 2;
const STARTED_MS = 30_000;
const ENDED_MS = 150_000;

export const killedWorkerStep: Step = {
  promise: 'an export whose worker is killed in the middle is finished by another, once and whole',
  check: async ({ shop, workerPids }) => {
    const { links } = await shop.post('/tax-exports', { year: 2025, rows: ROWS });
    const progress = await until(
      'progress of the export',
      async () => {
        const seen = (await shop.get<TaxExport>(links.self)).progress;
        return seen && seen.percent > 0 && seen.percent < 100 ? seen : undefined;
      },
      STARTED_MS,
    );
    const pids = await workerPids();
    expectThat(pids.includes(progress.workerPid), 'the pid of one of the workers', { progress, pids });
    process.kill(progress.workerPid, 'SIGKILL');
    const {
      state,
      deliveryCount,
      failedAttempts,
      result,
      links: ended,
    } = await shop.ended<TaxExport>(links.self, ENDED_MS);
    expectThat(state === 'completed' && failedAttempts === 0, 'a completed export', { state, failedAttempts, result });
    expectThat(deliveryCount === 2, 'two hand-outs: one was killed, one finished', deliveryCount);
    const lines = await shop.lines(ended.file ?? '');
    expectThat(lines.count === ROWS + HEAD_AND_TOTALS, `${ROWS + HEAD_AND_TOTALS} lines`, lines);
    expectThat(lines.last.startsWith('TOTAL,'), 'the totals in the last line', lines.last);
    return `killed ${progress.workerPid} at ${progress.percent} %, ${(result as ExportedFile).rows} sales in the file`;
  },
};
