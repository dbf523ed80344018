import type { TaskHandlerOptions } from '../options/handler-options.js';
import { UsageError } from '../task/config-errors.js';
import { DEFAULT_QUEUE, requireQueueName, requireTaskName } from '../task/names.js';
import type { TaskContract } from '../task/task-contract.js';
import { bindPieces } from './bind-pieces.js';
import { checkHandlerOptions } from './check-handler-options.js';
import { bindDefaultParameters, bindPayloadValidation, handOnPayloadClass } from './default-parameters.js';
import { declareHandler, type HandlerMethod } from './handler-definition.js';
import type { HandlerDecorator } from './handler-types.js';

/**
 * Makes a method of a provider, or of a controller, the handler of a task. Without parameter decorators it takes the
 * payload and the {@link TaskContext}. Write it on top of the other decorators of the method: a user's interceptors below
 * it run outside the idempotency and the retries.
 *
 * @example
 * @TaskHandler(exportTaxes, { timeoutMs: false, retry: { attempts: 3 } })
 * async export(payload: ExportTaxes, ctx: TaskContext): Promise<ExportedFile> { … }
 *
 * @param task A contract of `defineTask`, which the method must fit: a parameter takes its payload, and what it answers is its
 *   result, or nothing. Or a name, for which anything goes.
 * @param options Default: what the module says.
 * @throws InvalidNameError, InvalidOptionError while the class is declared.
 * @publicApi
 */
export function TaskHandler<P, R>(
  task: TaskContract<P, R>,
  options?: TaskHandlerOptions<NoInfer<P>>,
): HandlerDecorator<P, R>;
export function TaskHandler<P = unknown>(
  task: string | TaskContract<P>,
  options?: TaskHandlerOptions<P>,
): MethodDecorator;
export function TaskHandler(task: string | TaskContract, options: TaskHandlerOptions<never> = {}): MethodDecorator {
  return (target, key, descriptor) => {
    const place = `${target.constructor.name}.${String(key)}`;
    const method: unknown = descriptor.value;
    if (typeof method !== 'function') throw new UsageError(`@TaskHandler() belongs on a method; ${place} is none`);
    const checked = checkHandlerOptions(`@TaskHandler of ${place}`, options as TaskHandlerOptions);
    const { name, queue, payload } = resolveTask(task, checked.queue);
    bindDefaultParameters(target, key);
    const isPayloadLost = handOnPayloadClass(target, key, payload);
    declareHandler({ name, queue, options: checked, payload, isPayloadLost, place, method: method as HandlerMethod });
    bindPieces(method as HandlerMethod);
    if (checked.validate !== false) bindPayloadValidation(target, key, payload);
  };
}

function resolveTask(
  task: string | TaskContract,
  queue: string | undefined,
): Pick<TaskContract, 'name' | 'queue' | 'payload'> {
  const contract = typeof task === 'string' ? { name: task, queue: DEFAULT_QUEUE, payload: undefined } : task;
  return {
    name: requireTaskName(contract?.name),
    queue: requireQueueName(queue ?? contract.queue),
    payload: contract.payload,
  };
}
