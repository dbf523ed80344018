import type { DeadLetterReason } from '../../../libs/task-streams/src/index.js';

/** What an entry of the task stream is made of, for the cases that write one as another program does. */
export interface EntryParts {
  readonly version?: string;
  readonly id?: string;
  readonly task?: string;
  readonly key?: string;
  /** Headers and options as JSON. */
  readonly extra?: string;
  readonly body?: string | Buffer;
  readonly meta?: string;
}

/** The fields of an entry, as the wire format has them. */
export function entryOf(parts: EntryParts): (string | Buffer)[] {
  const { version = '2', id = 'x', task = 'job', key = '', extra = '', body = '{}', meta } = parts;
  const fields = ['head', [version, id, task, key, '', extra].join('\n'), 'body', body];
  return meta === undefined ? fields : [...fields, 'meta', meta];
}

/** A dead letter as it lies in Redis, read by a stranger. */
export interface RawLetter {
  readonly reason: DeadLetterReason;
  /** The entry it came from. */
  readonly source: string;
  readonly id: string;
  readonly body: string | undefined;
  /** Everything that was in the entry when it was a task, names and values in turn. */
  readonly original: readonly string[];
}

export function letterOf(list: readonly string[]): RawLetter {
  const begin = list.indexOf('dead.reason');
  const original = list.slice(0, begin);
  const added = new Map(
    list.flatMap((name, i) => (i >= begin && (i - begin) % 2 === 0 ? [[name, list[i + 1]]] : [])) as [string, string][],
  );
  return {
    reason: added.get('dead.reason') as DeadLetterReason,
    source: added.get('dead.source') ?? '',
    id: (valueOf(original, 'head') ?? '').split('\n')[1] ?? '',
    body: valueOf(original, 'body'),
    original,
  };
}

function valueOf(list: readonly string[], wanted: string): string | undefined {
  const place = list.findIndex((name, i) => i % 2 === 0 && name === wanted);
  return place < 0 ? undefined : list[place + 1];
}
