import type { Ownership } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import type { Broker } from '../../../libs/task-streams/src/contracts/broker.interface.js';
import type { AppendBatchReply } from '../../../libs/task-streams/src/contracts/inbox-store.interface.js';

const SERVER = {
  version: '7.2.0',
  kind: 'redis',
  persistence: 'everysec',
  evictionPolicy: 'noeviction',
  maxMemoryBytes: 0,
  capabilities: [],
  unanswered: [],
} as const;
const REPORT = {
  ...{ waiting: 0, active: 0, delayed: 0, dead: 0, oldestWaitingMs: 0 },
  ...{ liveConsumers: 0, staleConsumers: 0, foreignGroups: 0 },
  ...{ lag: undefined, oldestPendingIdleMs: undefined, oldestDeadMs: undefined },
};

/** The parts of a broker that the Nest side touches, in memory. Tasks go nowhere: specs hand deliveries out themselves. */
export class FakeBroker {
  readonly workerName = 'spec-worker';
  readonly progress: { readonly owner: Ownership; readonly json: string }[] = [];
  readonly appended: { readonly queue: string; readonly name: string; readonly body: string }[] = [];
  isClosed = false;

  readonly inbox = {
    append: async (queue: string, items: readonly { name: string; body: string }[]): Promise<AppendBatchReply> => {
      if (this.isClosed) throw new Error('The fake broker is closed');
      this.appended.push(...items.map(({ name, body }) => ({ queue, name, body })));
      return {
        replies: items.map(() => ({ kind: 'added', entryId: '1-0', state: 'waiting' })),
        durability: { level: 'memory', confirmedBy: undefined, replicas: undefined },
      };
    },
  };

  readonly tasks = {
    get: async () => undefined,
    reportProgress: async (owner: Ownership, json: string): Promise<boolean> => {
      this.progress.push({ owner, json });
      return true;
    },
  };

  readonly queues = { inspect: async () => REPORT, canFollow: () => true };

  readonly server = {
    check: async () => ({ ...SERVER, address: 'fake', arePermissionsChecked: true, warnings: [] }),
    report: async () => SERVER,
    checkWrites: async () => undefined,
    close: async (): Promise<void> => {
      this.isClosed = true;
    },
  };

  /** As the port, for a container that asks for all of it. */
  asBroker(): Broker {
    return this as unknown as Broker;
  }
}
