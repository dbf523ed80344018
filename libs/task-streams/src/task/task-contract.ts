import { DEFAULT_QUEUE, requireQueueName, requireTaskName } from './names.js';

/** A class that can be made without arguments, such as a DTO of class-validator. */
export type PayloadClass<P> = new (...args: never[]) => P;

/**
 * What a task is called, where it goes, and what goes in and comes out. Shared by the side that sends and the side that
 * handles, so that a wrong payload is a compile error.
 *
 * @publicApi
 */
export interface TaskContract<P = unknown, R = unknown> {
  readonly name: string;
  readonly queue: string;
  /** The class the payload is validated against, on both sides. */
  readonly payload: PayloadClass<P> | undefined;
  /** Exists for the compiler only. */
  readonly result?: R;
}

/**
 * Declares a task.
 *
 * @example
 * export const exportTaxes = defineTask<ExportTaxes, ExportedFile>('reports.tax-export', {
 *   queue: 'reports',
 *   payload: ExportTaxes,
 * });
 *
 * @param name What the task is called, in every process.
 * @param options `queue` (default `default`) and `payload`, the class to validate against (default none).
 * @throws InvalidNameError when the name or the queue cannot be used.
 * @publicApi
 */
export function defineTask<P = unknown, R = unknown>(
  name: string,
  options: { readonly queue?: string; readonly payload?: PayloadClass<P> } = {},
): TaskContract<P, R> {
  return Object.freeze({
    name: requireTaskName(name),
    queue: requireQueueName(options.queue ?? DEFAULT_QUEUE),
    payload: options.payload,
  });
}
