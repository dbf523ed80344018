import type { Redis } from 'ioredis';
import type {
  SettleReply,
  Settlement,
  TurnReply,
} from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import type { Broker } from '../../../libs/task-streams/src/contracts/broker.interface.js';
import { KEYS } from '../harness/queue-watch.js';

const DONE: SettleReply = { kind: 'done' };
const GROUP = 'workers';

type Settle = (settlement: Settlement) => Promise<SettleReply>;

/** Takes the settlements of one kind out of the turn and carries them out in its own way. */
function settleInstead(broker: Broker, kind: string, settle: Settle): void {
  const turn = broker.work.turn.bind(broker.work);
  broker.work.turn = async (queue, settlements, max): Promise<TurnReply> => {
    const own = settlements.filter(({ outcome }) => outcome.kind === kind);
    const others = settlements.filter(({ outcome }) => outcome.kind !== kind);
    const replies = new Map<Settlement, SettleReply>();
    for (const settlement of own) replies.set(settlement, await settle(settlement));
    const reply = await turn(queue, others, max);
    others.forEach((settlement, i) => replies.set(settlement, reply.replies[i] ?? DONE));
    return { ...reply, replies: settlements.map((settlement) => replies.get(settlement) ?? DONE) };
  };
}

/** XACK asks nobody whose task it is. */
export function settleWithoutFence(broker: Broker, redis: Redis): void {
  settleInstead(broker, 'complete', async ({ owner: { entryId, taskId } }) => {
    await redis.xack(KEYS.stream, GROUP, entryId);
    await redis.xdel(KEYS.stream, entryId);
    await redis.hdel(KEYS.owners, entryId);
    await markEnded(redis, taskId, 'completed');
    return DONE;
  });
}

/** When the XADD of a transaction fails, its XACK is still carried out. */
export function settleByMulti(broker: Broker, redis: Redis): void {
  settleInstead(broker, 'dead-letter', async ({ owner: { entryId, fields } }: DeadSettlement) => {
    await redis
      .multi()
      .xadd(KEYS.dead, '*', ...(fields ?? ['id', entryId]))
      .xack(KEYS.stream, GROUP, entryId)
      .xdel(KEYS.stream, entryId)
      .hdel(KEYS.owners, entryId)
      .exec();
    return DONE;
  });
}

/** The owner of a settlement is a whole delivery, though the port does not promise it. */
interface DeadSettlement extends Settlement {
  readonly owner: Settlement['owner'] & { readonly fields?: string[] };
}

async function markEnded(redis: Redis, taskId: string, state: string): Promise<void> {
  const record = await redis.get(KEYS.record(taskId));
  if (record === null) return;
  await redis.set(KEYS.record(taskId), state + record.slice(record.indexOf(' ')), 'EX', 3_600);
}
