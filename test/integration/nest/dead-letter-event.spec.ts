import { Injectable } from '@nestjs/common';
import { describe, expect, inject, it } from 'vitest';

import {
  DEAD_LETTER_SINK,
  OnTaskEvent,
  type DeadLetterService,
  type TaskEventOf,
} from '../../../libs/task-streams/src/index.js';
import { startCaseApp } from '../../cases/support/case-app.js';
import { openBroker } from '../../support/broker/open-broker.js';

const QUEUE = 'q';

describe('the event of a dead letter', () => {
  it('comes once the letter is kept, and neither its listener nor the sink can lose the letter by throwing', async () => {
    const calls: string[] = [];
    const bound: { letters?: DeadLetterService } = {};
    @Injectable()
    class Listeners {
      @OnTaskEvent('dead', { task: 'job' })
      async hear({ letter: { taskId, reason, error, body } }: TaskEventOf<'dead'>): Promise<void> {
        calls.push(`${taskId} ${reason} ${error?.message} ${body} kept ${await bound.letters?.count(QUEUE)}`);
        throw new Error('the mail server is gone');
      }
    }
    const sink = { replacesStream: false, take: () => Promise.reject(new Error('so is the database')) };
    const { prefix } = await openBroker();
    const app = await startCaseApp({
      url: inject('redisUrl'),
      prefix,
      words: { maxAttempts: 2, backoff: 1, backoffJitter: 'none' },
      tasks: { job: () => Promise.reject(new Error('boom')) },
      providers: [Listeners],
      moduleProviders: [{ provide: DEAD_LETTER_SINK, useValue: sink }],
    });
    bound.letters = app.letters;

    const { ref } = await app.client.enqueue('job', {}, { id: 'a', queue: QUEUE });

    await expect(app.client.result(ref)).rejects.toMatchObject({ state: 'dead' });
    await expect.poll(() => calls).toEqual(['a attempts-exhausted boom {} kept 1']);
    // The worker goes on.
    const next = await app.client.enqueue('job', {}, { id: 'b', queue: QUEUE });
    await expect(app.client.result(next.ref)).rejects.toMatchObject({ state: 'dead' });
    await expect.poll(() => calls).toHaveLength(2);
  });
});
