import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findLetter } from '../../src/smoke/steps/poison.step.js';
import type { Problem } from '../../src/problems/problem.js';
import { startShop, type Shop } from './support/start-shop.js';

const ENDED_MS = 20_000;

let shop: Shop;

beforeAll(async () => {
  shop = await startShop({ workers: 1 });
});

afterAll(async () => shop?.stop());

describe('a poisonous notification', () => {
  it('is set aside at its first attempt with the fields that are wrong, mended, and run again', async () => {
    const sent = await shop.client.post('/notifications/poison');
    expect(await shop.client.ended(sent.links.self, ENDED_MS)).toMatchObject({ state: 'dead', failedAttempts: 1 });
    const letter = await findLetter(shop.client, sent.id);
    expect(letter).toMatchObject({
      name: 'notifications.send',
      reason: 'validation',
      failedAttempts: 1,
      redriveCount: 0,
      payload: { to: 'ana@nowhere', message: '' },
      error: { details: ['to must be an email', 'message must be longer than or equal to 1 characters'] },
    });

    const payload = { to: 'ana@example.com', message: 'Mended.' };
    const redriven = await shop.client.post(letter.links.redrive, { payload });
    expect(redriven.links.self).toBe(sent.links.self);
    expect(await shop.client.ended(redriven.links.self, ENDED_MS)).toMatchObject({
      state: 'completed',
      result: { to: 'ana@example.com', attempt: 1 },
    });
    await expect(findLetter(shop.client, sent.id)).rejects.toThrow('is listed');
  });

  it('that is mended badly comes back, and says how often it was tried', async () => {
    const sent = await shop.client.post('/notifications/poison');
    await shop.client.ended(sent.links.self, ENDED_MS);
    const letter = await findLetter(shop.client, sent.id);
    const redriven = await shop.client.post(letter.links.redrive, { payload: { to: 'ana@example.com', message: '' } });
    expect(await shop.client.ended(redriven.links.self, ENDED_MS)).toMatchObject({ state: 'dead' });
    expect(await findLetter(shop.client, sent.id)).toMatchObject({
      redriveCount: 1,
      error: { details: ['message must be longer than or equal to 1 characters'] },
    });
  });

  it('can be discarded for good, once', async () => {
    const sent = await shop.client.post('/notifications/poison');
    await shop.client.ended(sent.links.self, ENDED_MS);
    const { links } = await findLetter(shop.client, sent.id);
    expect((await shop.client.send('DELETE', links.discard)).status).toBe(204);
    await expect(findLetter(shop.client, sent.id)).rejects.toThrow('is listed');
    expect((await shop.client.send('DELETE', links.discard)).status).toBe(404);
  });

  it('does not hold up the notifications behind it', async () => {
    await Promise.all(Array.from({ length: 20 }, () => shop.client.post('/notifications/poison')));
    const healthy = await shop.client.post('/notifications', { to: 'ana@example.com', message: 'Behind the poison.' });
    expect(await shop.client.ended(healthy.links.self, ENDED_MS)).toMatchObject({ state: 'completed' });
  });
});

describe('the dead letters', () => {
  it.each([
    ['GET', '/dead-letters?queue=nothing', 400, 'The shop has no queue "nothing"'],
    ['GET', '/dead-letters', 400, 'The shop has no queue ""'],
    ['GET', '/dead-letters?queue=payments&cursor=x', 400, 'The cursor "x" is none'],
    ['POST', '/dead-letters/x/redrive?queue=payments', 400, 'The dead letter "x" is none'],
    ['POST', '/dead-letters/1-1/redrive?queue=payments', 404, 'has no dead letter 1-1'],
    ['DELETE', '/dead-letters/x?queue=payments', 400, 'The dead letter "x" is none'],
    ['DELETE', '/dead-letters/1-1?queue=payments', 404, 'has no dead letter 1-1'],
  ])('answer %s %s with %d and say why', async (method, path, status, detail) => {
    const reply = await shop.client.send<Problem>(method, path);
    expect(reply.status).toBe(status);
    expect(reply.body.detail).toContain(detail);
  });
});
