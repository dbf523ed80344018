import { Body, Controller, Get, Headers, Param, Post, Res, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { TaskClient, type TaskSnapshot } from 'nestjs-task-streams';
import { ProblemException } from '../problems/problem.js';
import { validBody } from '../problems/valid-body.pipe.js';
import { accepted, type Accepted } from '../tasks/accepted.js';
import { pathOfTask } from '../tasks/shop-queues.js';
import { findTask } from '../tasks/task-view.js';
import { ExportFiles } from './export-files.js';
import { ExportTaxes, exportTaxes, type ExportedFile } from './export-taxes.task.js';
import { toTaxExport, type TaxExport } from './tax-export-view.js';

/** Tax reports: asked for here, written by a worker, fetched here. */
@Controller('tax-exports')
export class TaxExportsController {
  constructor(
    private readonly tasks: TaskClient,
    private readonly files: ExportFiles,
  ) {}

  /**
   * Accepts an export. It answers when the task is on the disk of Redis, so that an accepted export survives a power
   * cut. The Idempotency-Key becomes the id of the task: the same key with the same body is the same export, with
   * another body it is refused.
   */
  @Post()
  async accept(
    @Body(validBody) request: ExportTaxes,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Accepted> {
    const id = key === undefined ? {} : { id: key };
    const receipt = await this.tasks.enqueue(exportTaxes, request, { ...id, durability: 'fsync' });
    return accepted(response, 'reports', receipt);
  }

  @Get(':ref')
  async show(@Param('ref') ref: string): Promise<TaxExport> {
    return toTaxExport(await findTask(this.tasks, 'reports', ref));
  }

  @Get(':ref/file')
  async download(@Param('ref') ref: string): Promise<StreamableFile> {
    const snapshot = await findTask(this.tasks, 'reports', ref);
    if (snapshot.state !== 'completed') throw notReady(snapshot);
    const { file, year } = snapshot.result as ExportedFile;
    const handle = await this.files.open(file);
    if (!handle) throw new ProblemException(404, `The report of task ${ref} was removed after a day: export it again.`);
    return new StreamableFile(handle.createReadStream(), {
      type: 'text/csv; charset=utf-8',
      disposition: `attachment; filename="tax-report-${year}.csv"`,
      length: (await handle.stat()).size,
    });
  }
}

function notReady(snapshot: TaskSnapshot): ProblemException {
  const self = pathOfTask('reports', snapshot.ref);
  if (snapshot.state === 'dead') {
    return new ProblemException(409, `The export failed (${snapshot.error?.message}): see ${self}, then export again.`);
  }
  const detail = `The export is not ready, it is ${snapshot.state}: ask again when ${self} says completed.`;
  return new ProblemException(409, detail, { retryAfterSeconds: 1 });
}
