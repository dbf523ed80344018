import { IsInt, Max, Min } from 'class-validator';
import { defineTask } from 'nestjs-task-streams';

const FIRST_YEAR = 2000;
const LAST_YEAR = 2100;
const MAX_ROWS = 5_000_000;

/** The body of the request and the payload of the task: one class, checked on both ways. */
export class ExportTaxes {
  @IsInt()
  @Min(FIRST_YEAR)
  @Max(LAST_YEAR)
  readonly year!: number;

  /** How many sales the shop pretends to have had. */
  @IsInt()
  @Min(1)
  @Max(MAX_ROWS)
  readonly rows: number = 1_000_000;
}

/** What the task gives back. Small, so that it fits into the record of the task: the report itself is a file. */
export interface ExportedFile {
  readonly file: string;
  readonly year: number;
  readonly rows: number;
  readonly bytes: number;
  readonly netCents: number;
  readonly vatCents: number;
}

/** What a running export tells about itself. The process id is there for people who want to kill it and watch. */
export interface ExportProgress {
  readonly percent: number;
  readonly rows: number;
  readonly workerPid: number;
  /** When it told this, in milliseconds since 1970. */
  readonly at: number;
}

export const exportTaxes = defineTask<ExportTaxes, ExportedFile>('reports.tax-export', {
  queue: 'reports',
  payload: ExportTaxes,
});
