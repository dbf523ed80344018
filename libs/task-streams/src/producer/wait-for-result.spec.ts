import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resolveOptions } from '../options/resolve-options.js';
import { InvalidOptionError } from '../task/config-errors.js';
import { ResultOmittedError, ResultTimeoutError, TaskFailedError, TaskNotFoundError } from '../task/result-errors.js';
import { FakeBroker } from './fake-broker.spec-support.js';
import { TaskCatalog } from './task-catalog.js';
import { TaskClient } from './task-client.js';

const task = { queue: 'mail', id: 'm1' };
let broker: FakeBroker;
let client: TaskClient;

beforeEach(() => {
  vi.useFakeTimers();
  broker = new FakeBroker();
  client = new TaskClient({ broker: broker.asPort(), options: resolveOptions(), catalog: new TaskCatalog() });
});
afterEach(() => vi.useRealTimers());

describe('result', () => {
  it.each([{ sent: true }, null, undefined, 0])('answers %o of a completed task at once', async (result) => {
    broker.put('mail', 'm1', { state: 'completed', result });

    await expect(client.result(task)).resolves.toEqual(result);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for the end, looking often at first and twice a second in the end', async () => {
    broker.put('mail', 'm1', { state: 'active' });
    const looks: number[] = [];
    const start = Date.now();
    const get = broker.get.bind(broker);
    vi.spyOn(broker, 'get').mockImplementation((queue, id) => {
      looks.push(Date.now() - start);
      return get(queue, id);
    });
    const result = client.result('mail~0~m1');
    await vi.advanceTimersByTimeAsync(9_000);
    broker.put('mail', 'm1', { state: 'completed', result: 'done' });
    await vi.advanceTimersByTimeAsync(600);

    await expect(result).resolves.toBe('done');
    const waits = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
    expect(waits[0]).toBe(20);
    expect(Math.max(...waits)).toBe(500);
    expect(waits).toEqual(waits.toSorted((left, right) => left - right));
    expect(looks.length).toBeLessThan(30);
  });

  it('sees a task that ends just before the time is over', async () => {
    broker.put('mail', 'm1', { state: 'active' });
    const result = client.result(task, { timeoutMs: 3_000 });
    await vi.advanceTimersByTimeAsync(2_999);
    broker.put('mail', 'm1', { state: 'completed', result: 'late' });
    await vi.advanceTimersByTimeAsync(1);

    await expect(result).resolves.toBe('late');
  });

  it('gives up when the time is over and says where the task is', async () => {
    broker.put('mail', 'm1', { state: 'retrying' });
    const error = client.result(task, { timeoutMs: 1_000 }).catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(1_000);

    await expect(error).resolves.toBeInstanceOf(ResultTimeoutError);
    await expect(error).resolves.toMatchObject({ taskId: 'm1', state: 'retrying' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('looks once with a time of 0', async () => {
    broker.put('mail', 'm1', { state: 'waiting' });

    await expect(client.result(task, { timeoutMs: 0 })).rejects.toBeInstanceOf(ResultTimeoutError);
  });

  it.each(['dead', 'expired'] as const)('fails for a task that ended as %s', async (state) => {
    broker.put('mail', 'm1', { state, error: { name: 'SmtpError', message: 'refused' } });
    const error: unknown = await client.result(task).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(TaskFailedError);
    expect(error).toMatchObject({
      state,
      error: { name: 'SmtpError' },
      message: expect.stringContaining('SmtpError: refused') as string,
    });
  });

  it('says of a cancelled task who cancelled it and why', async () => {
    broker.put('mail', 'm1', { state: 'cancelled', cancel: { at: 1, reason: 'a wrong year', by: 'ann' } });

    await expect(client.result(task)).rejects.toMatchObject({
      code: 'TASK_STREAMS_TASK_CANCELLED',
      message: 'Task m1 of queue "mail" was cancelled by ann: a wrong year',
    });
  });

  it('does not answer undefined for a result that was not kept', async () => {
    broker.put('mail', 'm1', { state: 'completed', resultOmitted: 'too-large' });

    await expect(client.result(task)).rejects.toBeInstanceOf(ResultOmittedError);
    await expect(client.result(task)).rejects.toMatchObject({ reason: 'too-large' });
  });

  it('does not wait for a task that is not known', async () => {
    await expect(client.result(task)).rejects.toBeInstanceOf(TaskNotFoundError);
  });

  it.each([NaN, -1, 1.5, Infinity, '5', 2 ** 31])('refuses the time %o', async (timeoutMs) => {
    await expect(client.result(task, { timeoutMs: timeoutMs as number })).rejects.toBeInstanceOf(InvalidOptionError);
  });

  it('hands on an error of the broker', async () => {
    vi.spyOn(broker, 'get').mockRejectedValue(new Error('no connection'));

    await expect(client.result(task)).rejects.toThrow('no connection');
  });
});
