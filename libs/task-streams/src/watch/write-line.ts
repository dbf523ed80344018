import type { Logger } from '@nestjs/common';
import type { ErrorDescription } from '../task/error-description.js';
import { onOneLine } from '../task/sentence.js';
import type { Fact } from './fact.interface.js';
import { rowOf } from './facts.js';

/** The longest name of a task in a line: one that another program wrote may be of any length. */
const MAX_NAME = 256;

/**
 * Writes a fact to the log: a sentence, and the same as fields. Never a payload, a header or the details of an error.
 *
 * @param source Who writes it, and the trace it belongs to.
 */
export function writeLine(logger: Logger, fact: Fact, source: object = {}): void {
  const { name, level, fields } = fact;
  const { say } = rowOf(name);
  if (say === undefined) return;
  const message = onOneLine(`${subjectOf(fields)} ${say(fields as never)}`);
  const { error, ...rest } = fields as { readonly error?: ErrorDescription };
  const line = { event: name, ...toLog(rest), ...source, ...errorFields(error) };
  if (level === 'error') logger.error(message, line, error?.stack);
  else logger[level](message, line);
}

function subjectOf(fields: Fact['fields']): string {
  if (!('task' in fields)) return 'queue' in fields ? `Queue "${fields.queue}":` : 'This process:';
  const { task, taskId } = fields;
  const entryId = 'entryId' in fields ? fields.entryId : '';
  return `Task ${task.slice(0, MAX_NAME) || '(without a name)'} ${taskId || entryId}`;
}

/** Whole milliseconds, a short name, and nothing that is not known. */
function toLog(fields: object): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields) as [string, unknown][]) {
    if (typeof value === 'number') shown[key] = Math.round(value);
    else if (value !== undefined) shown[key] = value;
  }
  if (typeof shown['task'] === 'string') shown['task'] = shown['task'].slice(0, MAX_NAME);
  return shown;
}

function errorFields(error: ErrorDescription | undefined): object {
  if (error === undefined) return {};
  return { errorType: error.name, ...(error.code === undefined ? {} : { errorCode: error.code }) };
}
