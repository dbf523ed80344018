import { AuditTrail } from '../operate/audit-trail.js';
import { DeadLetterService } from '../dead-letters/dead-letter.service.js';
import { CheckedPayloads } from '../producer/checked-payloads.js';
import { TaskCatalog } from '../producer/task-catalog.js';
import { TaskClient } from '../producer/task-client.js';
import { AuditActionLog } from '../operate/audit-action-log.js';
import { QueueControl } from '../operate/queue-control.js';
import { QueueInspector } from '../operate/queue-inspector.js';
import { resolveOptions } from '../options/resolve-options.js';
import type { TaskStreamsOptions } from '../options/task-streams-options.js';
import { examineServer, type ServerExam } from '../redis/server/examine-server.js';
import { findForeignEntries } from '../redis/server/find-foreign-entries.js';
import { RedisBroker } from '../redis/redis-broker.js';
import { requireQueueName } from '../task/names.js';

/**
 * Which queues to look after, and what an enqueue is held to.
 *
 * @publicApi
 */
export type OpenTaskStreamsOptions = Pick<
  TaskStreamsOptions,
  'connection' | 'prefix' | 'queues' | 'limits' | 'retention' | 'enqueueTimeoutMs'
>;

/**
 * Everything there is to look after tasks with, without a Nest application. The services are those that a Nest application
 * injects.
 *
 * @publicApi
 */
export interface TaskStreamsAdmin {
  /** Sends tasks, and looks after them one by one. It knows no contracts: payloads are checked by the worker. */
  readonly tasks: TaskClient;
  readonly letters: DeadLetterService;
  /** Shows queues and workers. */
  readonly queues: QueueInspector;
  /** Pauses and empties queues. */
  readonly control: QueueControl;
  readonly audit: AuditTrail;
  /**
   * Makes sure that Redis answers, within two seconds or so.
   *
   * @throws RedisUnavailableError where it does not.
   */
  ping(): Promise<void>;
  /**
   * Looks at all that the boot of a worker of these queues looks at: version, eviction, the rights of this user, the format
   * of the queues; and at scripts, memory and clock. What is wrong is in the answer.
   *
   * @throws RedisUnavailableError where Redis cannot be asked.
   */
  examine(queues: readonly string[]): Promise<ServerExam>;
  /** Entries of a task stream that are no tasks, by their ids; 40 entries are looked at, the oldest and the newest. */
  foreignEntries(queue: string): Promise<readonly string[]>;
  /** Whether any event of the queue was written down: processes do so that have its option `events`. */
  hasEvents(queue: string): Promise<boolean>;
  /** Closes the connections. Can be called twice. */
  close(): Promise<void>;
}

/**
 * Opens queues for a program without Nest, such as a script of operations. Connections are made when first used; close it
 * when done.
 *
 * @throws InvalidOptionError for a value that cannot work.
 * @publicApi
 */
export function openTaskStreams(input: OpenTaskStreamsOptions = {}): TaskStreamsAdmin {
  const options = resolveOptions({ ...input, mode: 'producer' });
  const broker = new RedisBroker(options);
  const catalog = new TaskCatalog();
  const audit = new AuditTrail(broker);
  const actions = new AuditActionLog(audit);
  return {
    tasks: new TaskClient({ broker, options, catalog, actions }),
    letters: new DeadLetterService(broker, new CheckedPayloads(catalog, options.limits)),
    queues: new QueueInspector(askable(broker), options),
    control: new QueueControl(broker, options, actions),
    audit,
    ping: async () => {
      const { session } = broker;
      await session.forUser(async () => Promise.all((await session.primaries()).map((client) => client.time())));
    },
    examine: async (queues) => examineServer(broker.session, queues.map(requireQueueName)),
    foreignEntries: async (queue) => findForeignEntries(broker.session, requireQueueName(queue)),
    hasEvents: async (queue) => (await broker.tasks.lastChange(requireQueueName(queue))) !== '0-0',
    close: () => broker.server.close(),
  };
}

/** The health check of an application judges the errors of the connection by itself; a person is told what they mean. */
function askable(broker: RedisBroker): ConstructorParameters<typeof QueueInspector>[0] {
  return {
    queues: {
      inspect: (queue) => broker.session.forUser(() => broker.queues.inspect(queue)),
      list: (max) => broker.queues.list(max),
      listWorkers: (queue, max) => broker.queues.listWorkers(queue, max),
    },
  };
}
