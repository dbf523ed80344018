import { Injectable } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { TaskContext, TaskHandler } from 'nestjs-task-streams';
import { ExportFiles } from './export-files.js';
import { ExportTaxes, exportTaxes, type ExportedFile, type ExportProgress } from './export-taxes.task.js';
import { TaxReport } from './tax-report.js';

/** Writes tax reports. When its worker dies, the lease of the task expires and another worker writes the report anew. */
@Injectable()
export class ExportTaxesHandler {
  constructor(private readonly files: ExportFiles) {}

  // As long as it takes: the lease, which a living worker renews, tells a dead worker from a slow report.
  @TaskHandler(exportTaxes, { timeoutMs: false })
  async run(@Payload() request: ExportTaxes, @Ctx() context: TaskContext): Promise<ExportedFile> {
    const report = new TaxReport(request);
    const written = await this.files.write(context.taskId, reportProgress(report, context), context.signal);
    const { rows, netCents, vatCents } = report;
    return { ...written, year: request.year, rows, netCents, vatCents };
  }
}

/** The report's chunks; at every per cent it tells how far it is. */
function* reportProgress(report: TaxReport, context: TaskContext): Generator<string> {
  let told = -1;
  for (const chunk of report.chunks()) {
    yield chunk;
    if (report.percent === told) continue;
    told = report.percent;
    const progress: ExportProgress = { percent: told, rows: report.rows, workerPid: process.pid, at: Date.now() };
    context.progress(progress);
  }
}
