import type { ListablePlace, ListedTask, TaskLogLine } from '../../contracts/task-store.interface.js';
import { decodeTaskRecord, emptyRecord, type TaskRecord } from '../../task/task-record.js';
import { asActive } from './decode-active.js';

/** What list.lua returns of a task. */
export type TaskRow = readonly [id: string, name: string, record: string, token: string, mark: string];

/** A task that somebody added by hand has no record before a worker takes it. */
export function decodeListed([id, name, text, token, mark]: TaskRow, place: ListablePlace): ListedTask {
  const record: TaskRecord = decodeTaskRecord(text) ?? emptyRecord(place === 'active' ? 'waiting' : place, name);
  return { id, record: token === '' ? record : asActive(record, token, mark === '' ? undefined : mark) };
}

export function encodeLine({ at, attempt, text }: TaskLogLine): string {
  return `${at.getTime()} ${attempt} ${text}`;
}

const LINE = /^(\d+) (\d+) (.*)$/s;

export function decodeLine(line: string): TaskLogLine {
  const [, at, attempt, text = line] = LINE.exec(line) ?? [];
  return { at: new Date(Number(at) || 0), attempt: Number(attempt) || 0, text };
}
