import type { DeadLetterView } from '../../dead-letters/dead-letter-view.js';
import type { ShopClient } from '../shop-client.js';
import { expectThat, type Step } from '../step.js';

const ENDED_MS = 20_000;

export const poisonStep: Step = {
  promise: 'a poisonous payload is set aside with what is wrong in it, mended, and run again',
  check: async ({ shop }) => {
    const sent = await shop.post('/notifications/poison');
    const dead = await shop.ended(sent.links.self, ENDED_MS);
    expectThat(dead.state === 'dead', 'a dead task', dead);
    const letter = await findLetter(shop, sent.id);
    const faults = JSON.stringify(letter.error?.details ?? null);
    expectThat(
      faults.includes('to must be an email') && faults.includes('message'),
      'the fields that are wrong',
      letter,
    );
    const mended = { to: 'ana@example.com', message: 'Mended.' };
    const redriven = await shop.post(letter.links.redrive, { payload: mended });
    const ended = await shop.ended(redriven.links.self, ENDED_MS);
    expectThat(ended.state === 'completed', 'a delivered notification', ended);
    return `${letter.reason}: ${faults}; mended: ${JSON.stringify(ended.result)}`;
  },
};

/** Looks for the letter of a task, page by page. */
export async function findLetter(shop: ShopClient, taskId: string): Promise<DeadLetterView> {
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ queue: 'notifications', ...(cursor === undefined ? {} : { cursor }) });
    const page = await shop.get<{ letters: DeadLetterView[]; cursor?: string }>(`/dead-letters?${query.toString()}`);
    const letter = page.letters.find((one) => one.taskId === taskId);
    if (letter) return letter;
    cursor = page.cursor;
  } while (cursor !== undefined);
  throw new Error(`No dead letter of task ${taskId} is listed`);
}
