import type { LetterStores } from './run-action.js';
import type { AuditAction } from '../contracts/queue-store.interface.js';
import type { ImportPlan } from '../contracts/dead-letter-store.interface.js';
import { EXPORT_FORMAT, type ExportedLetter, type ExportedValue } from './export-letters.js';
import { splitLines, type TextChunks } from './split-lines.js';

/**
 * What an import came to.
 *
 * @publicApi
 */
export interface ImportReport {
  readonly operation: string;
  readonly imported: number;
  /** Letters that were here already, or were imported before. */
  readonly duplicates: number;
  readonly failed: number;
  /** The first 100 lines that could not be taken. */
  readonly problems: readonly { readonly line: number; readonly detail: string }[];
}

const MAX_PROBLEMS = 100;
const BATCH_LINES = 50;
const BATCH_LENGTH = 1_048_576;

interface NumberedPlan {
  readonly line: number;
  readonly plan: ImportPlan;
}

/** Adds exported dead letters to a queue, each once, whatever is imported twice. */
export async function importLetters(
  stores: LetterStores,
  queue: string,
  source: TextChunks,
  action: AuditAction,
): Promise<ImportReport> {
  const run = new ImportRun(stores, queue, action);
  let waiting: NumberedPlan[] = [];
  let length = 0;
  let number = 0;
  for await (const line of splitLines(source)) {
    number += 1;
    if (line.trim() === '') continue;
    const plan = run.read(number, line);
    if (plan) waiting.push({ line: number, plan });
    length += line.length;
    if (waiting.length < BATCH_LINES && length < BATCH_LENGTH) continue;
    await run.send(waiting);
    waiting = [];
    length = 0;
  }
  await run.send(waiting);
  return run.end();
}

class ImportRun {
  private readonly problems: { line: number; detail: string }[] = [];
  private imported = 0;
  private duplicates = 0;
  private failed = 0;
  private number = 0;
  private auditId: string | undefined;

  constructor(
    private readonly stores: LetterStores,
    private readonly queue: string,
    private readonly action: AuditAction,
  ) {}

  read(line: number, text: string): ImportPlan | undefined {
    try {
      const { entryId, fields } = parseLine(text);
      const bytes = fields.map(bytesOf);
      return { entryId, fields: bytes, letter: this.stores.deadLetters.decode(this.queue, entryId, bytes) };
    } catch (error) {
      this.fail(line, (error as Error).message);
      return undefined;
    }
  }

  async send(plans: readonly NumberedPlan[]): Promise<void> {
    if (plans.length === 0) return;
    this.number += 1;
    const { auditId, number, action } = this;
    const items = plans.map(({ plan }) => plan);
    const batch = { action, number, auditId, counts: this.counts(), items };
    const reply = await this.stores.deadLetters.import(this.queue, batch);
    this.auditId = reply.auditId;
    for (const [i, one] of reply.replies.entries()) {
      if (one.kind === 'imported') this.imported += 1;
      else if (one.kind === 'duplicate') this.duplicates += 1;
      else this.fail(plans[i]?.line ?? 0, one.detail);
    }
  }

  async end(): Promise<ImportReport> {
    await this.stores.queues.recordAction(this.queue, this.action, this.counts(), this.auditId);
    const { imported, duplicates, failed, problems } = this;
    return { operation: this.action.operation, imported, duplicates, failed, problems };
  }

  private counts(): Record<string, number> {
    const all = { imported: this.imported, duplicate: this.duplicates, error: this.failed };
    return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
  }

  private fail(line: number, detail: string): void {
    this.failed += 1;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ line, detail });
  }
}

function parseLine(text: string): Pick<ExportedLetter, 'entryId' | 'fields'> {
  const value = JSON.parse(text) as Partial<ExportedLetter> | null;
  if (value?.format !== EXPORT_FORMAT) throw new TypeError(`its format is not ${EXPORT_FORMAT}`);
  const { entryId, fields } = value;
  if (typeof entryId !== 'string' || !/^\d+-\d+$/.test(entryId)) throw new TypeError('it has no entryId');
  if (!Array.isArray(fields) || fields.length === 0 || fields.length % 2 === 1 || !fields.every(isValue)) {
    throw new TypeError('its fields are no pairs of names and values');
  }
  return { entryId, fields: fields as readonly ExportedValue[] };
}

function isValue(value: unknown): value is ExportedValue {
  return typeof value === 'string' || typeof (value as { base64?: unknown } | null)?.base64 === 'string';
}

function bytesOf(value: ExportedValue): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.base64, 'base64');
}
