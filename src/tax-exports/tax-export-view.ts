import type { TaskSnapshot } from 'nestjs-task-streams';
import { toView, type TaskView } from '../tasks/task-view.js';
import type { ExportProgress } from './export-taxes.task.js';

/** An export as the HTTP interface shows it. */
export interface TaxExport extends Omit<TaskView, 'links'> {
  readonly percent: number;
  /** What a running export tells about itself. */
  readonly progress: ExportProgress | undefined;
  /** Milliseconds since its worker told something, while it runs: many, when the worker is gone. */
  readonly silentMs: number | undefined;
  readonly links: { readonly self: string; readonly file?: string };
}

export function toTaxExport(snapshot: TaskSnapshot): TaxExport {
  const view = toView('reports', snapshot);
  const progress = snapshot.progress as ExportProgress | undefined;
  const isDone = snapshot.state === 'completed';
  return {
    ...view,
    percent: isDone ? 100 : (progress?.percent ?? 0),
    progress,
    silentMs: snapshot.state === 'active' && progress ? Math.max(0, Date.now() - progress.at) : undefined,
    links: isDone ? { ...view.links, file: `${view.links.self}/file` } : view.links,
  };
}
