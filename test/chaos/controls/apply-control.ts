import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Broker } from '../../../libs/task-streams/src/contracts/broker.interface.js';
import { KEYS } from '../harness/queue-watch.js';
import type { WorkerSettings } from '../worker/settings.js';
import type { ControlName } from './control-name.js';
import { settleByMulti, settleWithoutFence } from './broken-settlement.js';

/** Breaks the broker of a worker. */
export function applyControl({ control, options }: WorkerSettings, broker: Broker): void {
  if (control === undefined) return;
  const redis = () => open(options.connection?.url ?? '');
  switch (control) {
    case 'no-fence':
      settleWithoutFence(broker, redis());
      break;
    case 'multi-instead-of-script':
      settleByMulti(broker, redis());
      break;
    case 'no-reclaim':
      broker.work.reclaim = async () => ({
        deliveries: [],
        blocked: [],
        sentAt: 0,
        cursor: '0-0',
        deletedCount: 0,
        graceMs: 0,
        previousOwners: [],
      });
      break;
    case 'suspect-holds-queue':
      holdBehindSuspects(broker);
      break;
    case 'group-at-end':
      createGroupAtEnd(broker, redis());
      break;
    default:
  }
}

/** Breaks the broker of the producer. Answers how to end what that needed. */
export function applyProducerControl(control: ControlName | undefined, broker: Broker, url: string): () => void {
  if (control === 'no-dedup') sendUnderNewIds(broker);
  if (control === 'no-deadline') sendForEver(broker);
  if (control === 'no-confirmation') confirmNothing(broker);
  if (control !== 'maxlen-on-add') return () => undefined;
  const redis = open(url);
  trimOnAdd(broker, redis);
  return () => redis.disconnect();
}

function open(url: string): Redis {
  const redis = new Redis(url, { protocol: 2 });
  // Redis may be gone for a while, which is no news here.
  redis.on('error', () => undefined);
  return redis;
}

function createGroupAtEnd(broker: Broker, redis: Redis): void {
  broker.work.ensure = async () => {
    await redis.xgroup('CREATE', KEYS.stream, 'workers', '$', 'MKSTREAM').catch((error: Error) => {
      if (!error.message.startsWith('BUSYGROUP')) throw error;
    });
    return { isPaused: false };
  };
}

function trimOnAdd(broker: Broker, redis: Redis): void {
  const append = broker.inbox.append.bind(broker.inbox);
  broker.inbox.append = async (...args) => {
    const reply = await append(...args);
    await redis.xtrim(KEYS.stream, 'MAXLEN', 20);
    return reply;
  };
}

/** A task that was with two dead workers waits to be alone, and nothing is fetched until then, which never comes. */
function holdBehindSuspects(broker: Broker): void {
  const turn = broker.work.turn.bind(broker.work);
  const wait = broker.work.wait.bind(broker.work);
  const reclaim = broker.work.reclaim.bind(broker.work);
  let isHolding = false;
  broker.work.reclaim = async (...args) => {
    const reply = await reclaim(...args);
    const deliveries = reply.deliveries.filter(({ deliveryCount }) => deliveryCount < 2);
    isHolding ||= deliveries.length < reply.deliveries.length;
    return { ...reply, deliveries };
  };
  broker.work.turn = (queue, settlements, max) => turn(queue, settlements, isHolding ? 0 : max);
  broker.work.wait = async (queue) => {
    if (!isHolding) return wait(queue);
    await pause(IDLE_MS);
    return { deliveries: [], blocked: [], sentAt: performance.now() };
  };
}

const IDLE_MS = 500;

/** As a client does that takes the first answer for the confirmation. */
function confirmNothing(broker: Broker): void {
  const append = broker.inbox.append.bind(broker.inbox);
  broker.inbox.append = (queue, items) => append(queue, items, 'memory');
}

/** As a client does that keeps what it cannot send. */
function sendForEver(broker: Broker): void {
  const append = broker.inbox.append.bind(broker.inbox);
  broker.inbox.append = async (...args) => {
    for (;;) {
      try {
        return await append(...args);
      } catch {
        await pause(IDLE_MS);
      }
    }
  };
}

/** As a caller does who makes a new id for each try. */
function sendUnderNewIds(broker: Broker): void {
  const append = broker.inbox.append.bind(broker.inbox);
  broker.inbox.append = async (queue, items, durability) => {
    for (let attempt = 1; ; attempt += 1) {
      const renamed = attempt === 1 ? items : items.map((item) => ({ ...item, id: `${item.id}~${attempt}` }));
      try {
        return await append(queue, renamed, durability);
      } catch (error) {
        if (attempt === 10) throw error;
      }
    }
  };
}
