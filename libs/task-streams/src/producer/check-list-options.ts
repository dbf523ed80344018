import type { ListablePlace } from '../contracts/task-store.interface.js';
import { InvalidOptionError } from '../task/config-errors.js';

/**
 * The states whose tasks can be listed.
 *
 * @publicApi
 */
export type ListableState = 'waiting' | 'active' | 'delayed' | 'retrying' | 'dead';

/** @publicApi */
export interface ListTasksOptions {
  /** Which tasks. Of those that completed, were cancelled or expired only the records are kept: ask for them by their id. */
  readonly state: ListableState;
  /** Where the last page ended. Default: the beginning. */
  readonly cursor?: string | undefined;
  /** The most tasks of a page, 1 to 100. Default 50. */
  readonly limit?: number;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
const PLACES: Readonly<Record<ListableState, ListablePlace>> = {
  waiting: 'waiting',
  active: 'active',
  delayed: 'delayed',
  retrying: 'delayed',
  dead: 'dead',
};
const ENTRY = /^\d{1,20}-\d{1,20}$/;
const DUE = /^\d{1,20} ./;

/**
 * What is asked for.
 *
 * @throws InvalidOptionError
 * @internal
 */
export function requireList(options: ListTasksOptions): {
  readonly place: ListablePlace;
  readonly limit: number;
  readonly cursor: string | undefined;
} {
  const { state, cursor, limit = DEFAULT_LIMIT } = options;
  if (!Object.hasOwn(PLACES, state)) {
    throw new InvalidOptionError('list.state', state, `give one of ${Object.keys(PLACES).join(', ')}`);
  }
  const place = PLACES[state];
  const pattern = place === 'delayed' ? DUE : ENTRY;
  if (cursor !== undefined && !(typeof cursor === 'string' && pattern.test(cursor))) {
    throw new InvalidOptionError('list.cursor', cursor, 'give the cursor of the page before, of the same state');
  }
  return { place, limit: Math.min(Math.max(Math.trunc(limit) || 1, 1), MAX_LIMIT), cursor };
}
