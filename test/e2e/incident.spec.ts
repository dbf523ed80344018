import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PartnerState } from '../../src/partner/partner-state.store.js';
import { runBuiltCli } from '../cli/support/built-cli.js';
import type { CliResult } from '../cli/support/run-cli.js';
import { startShop, type Shop } from './support/start-shop.js';

const COUNT = 5;
const IDS = Array.from({ length: COUNT }, (_, i) => `incident-${i + 1}`);
const QUEUE = 'notifications';
const DEAD_MS = 60_000;

let shop: Shop;

beforeAll(async () => {
  shop = await startShop({ workers: 1 });
});

afterAll(async () => shop?.stop());

/** What somebody on call has: a shell and the address of Redis. */
function cli(...args: readonly string[]): Promise<CliResult> {
  return runBuiltCli(args, { url: shop.redis.url, prefix: 'ts' });
}

function setPartner(mode: PartnerState['mode']): Promise<PartnerState> {
  return shop.client.set<PartnerState>('POST', '/partner/mode', { mode });
}

/** Watches until the condition is met, which ends it. */
async function watchUntil(condition: string): Promise<void> {
  const { code, stderr } = await cli('stats', QUEUE, '--watch', '0.2', '--json', '--fail-if', condition);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(condition) });
}

async function stateOf(id: string): Promise<string> {
  return (await cli('tasks', 'show', QUEUE, id, '--json')).json<{ state: string }>().state;
}

interface Group {
  readonly id: string;
  readonly count: number;
  readonly errorName: string;
  readonly sampleEntryId: string;
}

describe('an incident', () => {
  it(
    'is seen, understood, tried, mended and written down by the command line alone',
    async () => {
      const before = await setPartner('down');
      const payload = JSON.stringify({ to: 'ana@example.com', message: 'Your order is on its way.' });
      const send = (id: string) =>
        cli('tasks', 'enqueue', QUEUE, 'notifications.send', '--payload', payload, '--id', id, '--attempts', '1');
      for (const id of IDS) expect((await send(id)).code).toBe(0);

      await watchUntil(`dead>=${COUNT}`);
      const doctor = await cli('doctor', '--json');
      expect(doctor.json<{ findings: object[] }>().findings).toContainEqual({
        check: 'dead-letters',
        status: 'warn',
        queue: QUEUE,
        message: `${COUNT} dead letters`,
        cure: `task-streams dlq groups ${QUEUE}`,
      });

      const [group, ...others] = (await cli('dlq', 'groups', QUEUE, '--json')).json<Group[]>();
      expect(others).toEqual([]);
      expect(group).toMatchObject({ count: COUNT, errorName: 'PartnerError' });
      const letter = await cli('dlq', 'show', QUEUE, group?.sampleEntryId ?? '');
      expect(letter.stdout).toContain('The partner is out of order (HTTP 503)');

      await setPartner('up');
      const redrive = ['dlq', 'redrive', QUEUE, '--group', group?.id ?? '', '--json'];
      expect((await cli(...redrive, '--dry-run')).json()).toMatchObject({ matched: COUNT, movable: COUNT, refused: 0 });
      const startedAt = performance.now();
      const because = 'the partner is up again';
      const moved = await cli(...redrive, '--rate', '2', '--yes', '--because', because);
      expect(moved.code).toBe(0);
      expect(moved.json()).toMatchObject({ matched: COUNT, done: COUNT, refused: 0, failed: 0, left: 0 });
      // The first goes at once, and half a second lies before each of the others, less a fifth where it has to catch up.
      expect(performance.now() - startedAt).toBeGreaterThan((COUNT - 1) * 400);

      for (const id of IDS) await expect.poll(() => stateOf(id), { timeout: DEAD_MS }).toBe('completed');
      expect((await shop.client.get<PartnerState>('/partner/mode')).deliveredCount).toBe(before.deliveredCount + COUNT);
      expect((await cli('stats', QUEUE, '--fail-if', 'dead>0', '--fail-if', 'workers<1')).code).toBe(0);
      expect((await cli('audit', 'ls', QUEUE, '--limit', '1', '--json')).json()).toMatchObject({
        records: [{ action: 'redrive', actor: 'spec', reason: because, counts: { moved: COUNT } }],
      });
    },
    4 * DEAD_MS,
  );
});
