import { describe, expect, it } from 'vitest';
import { exportWords, healthWords } from './public/words.js';

const running = { state: 'active', progress: { workerPid: 77 }, silentMs: 400, deliveryCount: 1 };

describe('an export on the page', () => {
  it('is being written while its worker tells so', () => {
    expect(exportWords(running)).toEqual({ text: 'A worker writes the report.', tone: 'busy' });
  });

  it('has a worker that is not heard of between its death and the next one', () => {
    const now = new Date(2026, 11, 1, 4, 31, 12).getTime();
    const { text, tone, isSilent } = exportWords({ ...running, silentMs: 5_000 }, now);
    expect(text).toMatch(
      /^Worker 77 has not been heard of since 0?4:31:07\. When its lease has expired, another worker/,
    );
    expect({ tone, isSilent }).toEqual({ tone: 'bad', isSilent: true });
  });

  it('says how many workers took it', () => {
    expect(exportWords({ ...running, deliveryCount: 2 }).text).toBe(
      'A worker writes the report. Workers that took it: 2.',
    );
  });

  it('says why it was given up', () => {
    const dead = { state: 'dead', deliveryCount: 1, error: { message: 'the disk is full' } };
    expect(exportWords(dead)).toEqual({ text: 'Given up: the disk is full', tone: 'bad' });
  });
});

describe('a health check on the page', () => {
  const whenWell = (): string => 'All turns.';

  it('is well, and says what that means', () => {
    expect(healthWords({ status: 'up' }, whenWell)).toEqual({ state: 'Well', tone: 'good', reason: 'All turns.' });
  });

  it('is down, with each problem as a sentence', () => {
    const check = { status: 'down' as const, problems: ['Redis does not answer.', 'no worker for payments'] };
    expect(healthWords(check, whenWell)).toEqual({
      state: 'Down',
      tone: 'bad',
      reason: 'Redis does not answer. No worker for payments.',
    });
  });

  it('is degraded, also with a terminus that calls it up', () => {
    const check = { status: 'up' as const, condition: 'degraded' as const, problems: ['a policy that deletes'] };
    expect(healthWords(check, whenWell)).toMatchObject({ state: 'Look at it', tone: 'busy' });
  });
});
