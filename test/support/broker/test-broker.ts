import type {
  Delivery,
  Settlement,
  SettleReply,
} from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { RedisBroker } from '../../../libs/task-streams/src/redis/redis-broker.js';

/** A broker with the two halves of a turn, which nobody but a test needs one by one. */
export class TestBroker extends RedisBroker {
  /** A turn that only hands out. */
  async read(queue: string, max: number): Promise<Delivery[]> {
    const { deliveries, fetchError } = await this.work.turn(queue, [], max);
    if (fetchError) throw fetchError;
    return [...deliveries];
  }

  /** A turn that only settles. */
  async settle(queue: string, settlements: readonly Settlement[]): Promise<readonly SettleReply[]> {
    return (await this.work.turn(queue, settlements, 0)).replies;
  }
}
