import { describe, expect, it } from 'vitest';
import { resolveOptions } from './resolve-options.js';
import type { QueueOptions } from './task-streams-options.js';

describe('the options of a queue', () => {
  it('are kept as they were given', () => {
    const mail = { concurrency: 2, maxBacklog: 5, onFull: 'wait', onExpired: 'drop' } as const;
    expect({ ...resolveOptions({ queues: { mail } }).queues }).toEqual({ mail });
  });

  it.each([
    [{ maxBacklog: 0 }, 'queues.mail.maxBacklog is 0: give a whole number from 1'],
    [{ maxBacklog: 5, onFull: 'block' }, "queues.mail.onFull is \"block\": give 'reject' or 'wait'"],
    [{ onFull: 'wait' }, 'a queue without maxBacklog is never full'],
    [{ onExpired: 'keep' }, "give 'dead-letter' or 'drop'"],
    [{ maxBacklogs: 5 }, 'did you mean maxBacklog?'],
  ])('are refused where they cannot work: %j', (mail, message) => {
    expect(() => resolveOptions({ queues: { mail: mail as QueueOptions } })).toThrow(message);
  });
});
