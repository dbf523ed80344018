import { describe, expect, it } from 'vitest';
import { refusal } from './refusal.spec-support.js';
import { resolveOptions } from './resolve-options.js';
import type { TaskStreamsOptions } from './task-streams-options.js';

describe('resolveOptions', () => {
  it('has a default for everything', () => {
    expect(resolveOptions()).toEqual({
      connection: { url: 'redis://localhost:6379' },
      prefix: 'ts',
      mode: 'both',
      autoStart: false,
      onRedisDown: 'wait',
      allowEviction: false,
      concurrency: 10,
      queues: {},
      retry: {
        attempts: 5,
        backoff: { type: 'exponential', delayMs: 2_000, factor: 2, maxDelayMs: 3_600_000, jitter: 'equal' },
        nonRetryable: [],
        retryIf: undefined,
        immediateRetries: 0,
        isFailure: undefined,
      },
      timeoutMs: 300_000,
      leaseMs: 30_000,
      enhancers: 'handler',
      crashLimit: 3,
      shutdownTimeoutMs: 25_000,
      enqueueTimeoutMs: 5_000,
      timing: {
        sweepMs: 5_000,
        promoteMs: 500,
        blockMs: 2_000,
        consumerTtlMs: 86_400_000,
        stuckAfterMs: 60_000,
        unknownTaskGraceMs: 300_000,
        deferralLimitMs: 3_600_000,
      },
      limits: { maxPayloadBytes: 1_048_576, maxPayloadDepth: 200, maxHeaders: 64 },
      retention: {
        completedMs: 3_600_000,
        deadLettersMs: 1_209_600_000,
        maxDeadLetters: 100_000,
        idempotencyKeysMs: 86_400_000,
        logsMs: 86_400_000,
        results: true,
        maxResultBytes: 4_096,
      },
      validate: true,
      logSuccess: false,
      asyncContext: false,
      redact: ['password', 'passwd', 'secret', 'token', 'authorization', 'cookie', 'card'],
    });
  });

  it('takes what is given and leaves the rest at its default', () => {
    const retryIf = (): boolean => true;
    const resolved = resolveOptions({
      prefix: 'shop:tasks',
      mode: 'producer',
      timeoutMs: false,
      queues: { reports: { concurrency: 2 }, mail: {} },
      retry: { backoff: [10, 20], nonRetryable: ['TypeError', RangeError], retryIf },
      retention: { completedMs: 0 },
    });

    expect(resolved).toMatchObject({ prefix: 'shop:tasks', mode: 'producer', timeoutMs: false, concurrency: 10 });
    expect({ ...resolved.queues }).toEqual({ reports: { concurrency: 2 }, mail: {} });
    expect(resolved.retry).toEqual({
      attempts: 5,
      backoff: [10, 20],
      nonRetryable: ['TypeError', RangeError],
      retryIf,
      immediateRetries: 0,
      isFailure: undefined,
    });
    expect(resolved.retention).toMatchObject({ completedMs: 0, maxResultBytes: 4_096 });
  });

  it('takes undefined for an option that was left out, also inside a backoff curve', () => {
    const options = { leaseMs: undefined, retry: { backoff: { type: 'fixed', delayMs: undefined } } };
    const resolved = resolveOptions(options as unknown as TaskStreamsOptions);

    expect(resolved.leaseMs).toBe(30_000);
    expect(resolved.retry.backoff).toEqual({ type: 'fixed' });
  });

  it('is not changed by what happens to the input later', () => {
    const backoff = [10, 20];
    const queues = { reports: { concurrency: 2 } };
    const resolved = resolveOptions({ queues, retry: { backoff } });
    backoff.push(-1);
    queues.reports.concurrency = -1;

    expect(resolved.retry.backoff).toEqual([10, 20]);
    expect(resolved.queues['reports']).toEqual({ concurrency: 2 });
    expect(Object.isFrozen(resolved)).toBe(true);
  });

  it('knows no queue that was not given, whatever its name is', () => {
    const { queues } = resolveOptions({});

    expect(queues['constructor']).toBeUndefined();
    expect(queues['__proto__']).toBeUndefined();
  });

  it('takes a queue that is called __proto__ like any other', () => {
    const input = JSON.parse('{"queues":{"__proto__":{"concurrency":3}}}') as TaskStreamsOptions;

    expect(resolveOptions(input).queues['__proto__']).toEqual({ concurrency: 3 });
    expect(({} as { concurrency?: number }).concurrency).toBeUndefined();
  });
});

describe('a number that cannot work', () => {
  const numbers: Record<string, (value: unknown) => unknown> = {
    concurrency: (concurrency) => ({ concurrency }),
    'queues.reports.concurrency': (concurrency) => ({ queues: { reports: { concurrency } } }),
    timeoutMs: (timeoutMs) => ({ timeoutMs }),
    leaseMs: (leaseMs) => ({ leaseMs }),
    'timing.sweepMs': (sweepMs) => ({ timing: { sweepMs } }),
    'timing.promoteMs': (promoteMs) => ({ timing: { promoteMs } }),
    'timing.blockMs': (blockMs) => ({ timing: { blockMs } }),
    crashLimit: (crashLimit) => ({ crashLimit }),
    shutdownTimeoutMs: (shutdownTimeoutMs) => ({ shutdownTimeoutMs }),
    'timing.unknownTaskGraceMs': (unknownTaskGraceMs) => ({ timing: { unknownTaskGraceMs } }),
    'timing.deferralLimitMs': (deferralLimitMs) => ({ timing: { deferralLimitMs } }),
    enqueueTimeoutMs: (enqueueTimeoutMs) => ({ enqueueTimeoutMs }),
    'limits.maxPayloadBytes': (maxPayloadBytes) => ({ limits: { maxPayloadBytes } }),
    'limits.maxPayloadDepth': (maxPayloadDepth) => ({ limits: { maxPayloadDepth } }),
    'limits.maxHeaders': (maxHeaders) => ({ limits: { maxHeaders } }),
    'retention.completedMs': (completedMs) => ({ retention: { completedMs } }),
    'retention.deadLettersMs': (deadLettersMs) => ({ retention: { deadLettersMs } }),
    'retention.maxDeadLetters': (maxDeadLetters) => ({ retention: { maxDeadLetters } }),
    'retention.idempotencyKeysMs': (idempotencyKeysMs) => ({ retention: { idempotencyKeysMs } }),
    'retention.logsMs': (logsMs) => ({ retention: { logsMs } }),
    'retention.maxResultBytes': (maxResultBytes) => ({ retention: { maxResultBytes } }),
    'retry.attempts': (attempts) => ({ retry: { attempts } }),
    'retry.immediateRetries': (immediateRetries) => ({ retry: { immediateRetries } }),
    'retry.backoff.delayMs': (delayMs) => ({ retry: { backoff: { type: 'fixed', delayMs } } }),
    'retry.backoff.maxDelayMs': (maxDelayMs) => ({ retry: { backoff: { type: 'fixed', maxDelayMs } } }),
    'retry.backoff.factor': (factor) => ({ retry: { backoff: { type: 'exponential', factor } } }),
    'retry.backoff[1]': (wait) => ({ retry: { backoff: [10, wait] } }),
  };
  const wrong = [NaN, Infinity, -1, 1e300, '10', null, true, {}, [], 10n];

  it.each(Object.keys(numbers))('%s is refused with its path', (path) => {
    const paths = wrong.map((value) => refusal(numbers[path]?.(value)).option);

    expect(paths).toEqual(wrong.map(() => path));
  });

  it.each(Object.keys(numbers).filter((path) => !path.endsWith('factor')))('%s takes whole numbers only', (path) => {
    expect(refusal(numbers[path]?.(10.5))).toMatchObject({ option: path });
  });

  it.each(['concurrency', 'timeoutMs', 'crashLimit', 'enqueueTimeoutMs', 'retry.attempts', 'timing.blockMs'])(
    '%s is never 0',
    (path) => {
      expect(refusal(numbers[path]?.(0))).toMatchObject({ option: path });
    },
  );

  it('names path, value and cure', () => {
    expect(refusal({ concurrency: NaN }).message).toBe(
      'Option concurrency is NaN: give a whole number from 1 to 10000 (tasks at once)',
    );
    expect(refusal({ timeoutMs: 0 }).message).toContain('or false for no limit');
  });

  it('says of text from the environment that it is no number', () => {
    expect(refusal({ concurrency: '10' }).message).toContain('not text (Number(…) makes one)');
  });

  it('is a lease below 100 ms, a time a timer of Node cannot wait, and an attempt above 1000', () => {
    expect(refusal({ leaseMs: 99 })).toMatchObject({ option: 'leaseMs' });
    expect(resolveOptions({ leaseMs: 100 }).leaseMs).toBe(100);
    expect(refusal({ timeoutMs: 2 ** 31 })).toMatchObject({ option: 'timeoutMs' });
    expect(resolveOptions({ timeoutMs: 2 ** 31 - 1 }).timeoutMs).toBe(2 ** 31 - 1);
    expect(refusal({ retry: { attempts: 1001 } })).toMatchObject({ option: 'retry.attempts' });
    expect(resolveOptions({ retry: { attempts: 1000 } }).retry.attempts).toBe(1000);
  });
});

describe('another value that cannot work', () => {
  it.each([
    ['mode', { mode: 'workers' }],
    ['mode', { mode: 'toString' }],
    ['autoStart', { autoStart: 'yes' }],
    ['validate', { validate: 1 }],
    ['timeoutMs', { timeoutMs: true }],
    ['retention.results', { retention: { results: 'no' } }],
    ['prefix', { prefix: '' }],
    ['prefix', { prefix: 'a b' }],
    ['prefix', { prefix: '{shop}' }],
    ['prefix', { prefix: 'shop*' }],
    ['prefix', { prefix: 7 }],
    ['prefix', { prefix: 'x'.repeat(65) }],
    ['queues', { queues: [] }],
    ['queues', { queues: null }],
    ['queues', { queues: { 'a b': {} } }],
    ['queues', { queues: { '{a}': {} } }],
    ['queues', { queues: { '': {} } }],
    ['queues.reports', { queues: { reports: 3 } }],
    ['queues.reports', { queues: { reports: undefined } }],
    ['limits', { limits: null }],
    ['limits', { limits: 1 }],
    ['retention', { retention: [] }],
    ['retry', { retry: false }],
    ['retry.retryIf', { retry: { retryIf: true } }],
    ['retry.nonRetryable', { retry: { nonRetryable: TypeError } }],
    ['retry.nonRetryable[1]', { retry: { nonRetryable: [TypeError, 7] } }],
    ['retry.nonRetryable[0]', { retry: { nonRetryable: [''] } }],
    ['retry.backoff', { retry: { backoff: 1000 } }],
    ['retry.backoff', { retry: { backoff: [] } }],
    ['retry.backoff', { retry: { backoff: null } }],
    ['retry.backoff.type', { retry: { backoff: { delayMs: 10 } } }],
    ['retry.backoff.type', { retry: { backoff: { type: 'exponental' } } }],
    ['retry.backoff.jitter', { retry: { backoff: { type: 'fixed', jitter: true } } }],
    ['retry.backoff.factor', { retry: { backoff: { type: 'exponential', factor: 0.5 } } }],
  ])('%s is refused: %o', (path, options) => {
    expect(refusal(options)).toMatchObject({ option: path });
  });

  it('is a hole in a list of waits', () => {
    const waits = Object.assign([10], { 2: 20 });
    expect(refusal({ retry: { backoff: waits } })).toMatchObject({ option: 'retry.backoff[1]' });
  });

  it.each([null, 7, 'redis://localhost', []])('is anything but an object of options: %o', (options) => {
    expect(refusal(options).message).toContain('give an object');
  });
});

describe('a name that is not known', () => {
  it.each([
    ['concurency', { concurency: 5 }, 'did you mean concurrency?'],
    ['lease', { lease: 5 }, 'did you mean leaseMs?'],
    ['sweepMs', { sweepMs: 5 }, 'did you mean timing.sweepMs?'],
    ['deadLetterMs', { deadLetterMs: 5 }, 'did you mean retention.deadLettersMs?'],
    ['timing.sweep', { timing: { sweep: 5 } }, 'did you mean sweepMs?'],
    ['retry.attempt', { retry: { attempt: 5 } }, 'did you mean attempts?'],
    ['retry.backoff.delay', { retry: { backoff: { type: 'fixed', delay: 5 } } }, 'did you mean delayMs?'],
    ['queues.reports.Concurrency', { queues: { reports: { Concurrency: 5 } } }, 'did you mean concurrency?'],
    [
      'retention.removeOnComplete',
      { retention: { removeOnComplete: true } },
      'the names are completedMs, deadLettersMs',
    ],
    ['connection.ur', { connection: { ur: 'redis://a' } }, 'did you mean url?'],
  ])('%s is refused with what it may have meant', (path, options, hint) => {
    const error = refusal(options);

    expect(error.option).toBe(path);
    expect(error.message).toContain(hint);
  });
});
