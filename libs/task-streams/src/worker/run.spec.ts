import { describe, expect, it } from 'vitest';
import type { Delivery } from '../contracts/work-store.interface.js';
import { Run } from './run.js';

const delivery = (claim: number, deliveryCount = 1) =>
  ({ entryId: '1-0', token: `nonce.${claim}.30000.1.${deliveryCount}`, deliveryCount }) as Delivery;

describe('a run that gets its delivery once more', () => {
  it('takes the newer token, and stays at its own delivery', () => {
    const run = new Run(delivery(7), 100);
    run.adopt(delivery(9, 2), 200);
    expect(run.delivery).toMatchObject({ token: 'nonce.9.30000.1.2', deliveryCount: 1 });
    expect(run.leasedAt).toBe(200);
  });

  it('keeps its token where an answer comes late that was given before it', () => {
    const run = new Run(delivery(9), 200);
    run.adopt(delivery(7), 100);
    expect(run.delivery.token).toBe('nonce.9.30000.1.1');
    expect(run.leasedAt).toBe(200);
  });
});
