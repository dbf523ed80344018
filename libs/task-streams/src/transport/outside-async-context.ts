import { AsyncResource } from 'node:async_hooks';

/** Made as the process loads this library, which is outside of every request, span and store. */
const outside = new AsyncResource('nestjs-task-streams');

/**
 * Does work that goes on by itself, outside of the async context of its caller: what a boot, or a test, keeps in
 * an AsyncLocalStorage would be in every task for the life of the process.
 */
export function outsideAsyncContext(work: () => void): void {
  outside.runInAsyncScope(work);
}
