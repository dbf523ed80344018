import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from './disasters.mjs';

/**
 * Keeps the sample app busy with a bit of everything until it is told to stop: work that succeeds, is repeated, is retried,
 * is poisonous, and is redriven.
 *
 * @param {string} url
 * @returns {{ stop: () => Promise<void> }}
 */
export function startLoad(url) {
  const accountId = randomUUID();
  const stopping = new AbortController();
  const running = (async () => {
    await send(url, 'PUT', `/payments/accounts/${accountId}`, { balanceCents: 10_000_000 });
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      const debit = { transactionId: randomUUID(), accountId, amountCents: 1 };
      await Promise.all([
        send(url, 'POST', '/payments/debits', debit),
        send(url, 'POST', '/payments/debits', debit),
        send(url, 'POST', '/notifications', { to: 'ana@example.com', message: `Round ${round}` }),
      ]);
      if (round % 20 === 0) await send(url, 'POST', '/partner/mode', { mode: round % 40 === 0 ? 'down' : 'up' });
      if (round % 10 === 0) await send(url, 'POST', '/notifications/poison');
      if (round % 15 === 5) await send(url, 'POST', '/tax-exports', { year: 2024, rows: 2_000 });
      if (round % 25 === 20) await redriveOne(url);
      await delay(50);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await running.catch(() => undefined);
    },
  };
}

/** @param {string} url */
async function redriveOne(url) {
  const answer = await fetch(`${url}/dead-letters?queue=notifications`);
  const { letters } = /** @type {{ letters?: { links: { redrive: string } }[] }} */ (await answer.json());
  const redrive = letters?.[0]?.links.redrive;
  if (redrive) await send(url, 'POST', redrive, { payload: { to: 'ana@example.com', message: 'Mended.' } });
}
