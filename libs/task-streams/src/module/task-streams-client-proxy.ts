import type { Broker } from '../contracts/broker.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { TaskStreamsClientProxyBase } from '../producer/task-streams-client-proxy.js';
import { RedisBroker } from '../redis/redis-broker.js';

/**
 * Enqueues tasks through Nest's `ClientProxy`, for code that is written against it. `emit(name, payload)` enqueues at
 * once and answers the receipt; `send` is an error, because a task has no reply to wait for. `TaskClient` can do more.
 *
 * @example
 * ClientsModule.register([{ name: 'TASKS', customClass: TaskStreamsClientProxy, options: { connection: { url } } }])
 *
 * @publicApi
 */
export class TaskStreamsClientProxy extends TaskStreamsClientProxyBase {
  protected override createBroker(options: ResolvedOptions): Broker {
    return new RedisBroker(options);
  }
}
