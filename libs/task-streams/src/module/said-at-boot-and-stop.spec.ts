import { Injectable, Logger, type LoggerService } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTaskApp, startTaskApp } from '../../../../test/support/nest/task-app.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

@Injectable()
class MailTasks {
  @TaskHandler('mail.send', { queue: 'mail' })
  send(): void {}

  @TaskHandler('mail.open', { queue: 'mail' })
  open(): void {}

  @TaskHandler('report')
  report(): void {}
}

let lines: string[] = [];

/** Writes down what the library logs: the applications of these specs have a logger that says nothing. */
function record(): void {
  const write = (level: string) => (message: unknown, context: unknown) =>
    void (context === 'TaskStreams' && lines.push(`${level} ${String(message)}`));
  Logger.overrideLogger({ log: write('log'), warn: write('warn'), error: write('error') } as LoggerService);
}

const app = { providers: [MailTasks], configure: record };

beforeEach(() => void (lines = []));
afterEach(() => {
  Logger.overrideLogger(['log', 'error', 'warn']);
  vi.useRealTimers();
});

describe('what is said at boot', () => {
  it('is one line a queue', async () => {
    const options = {
      leaseMs: 20_000,
      concurrency: 7,
      queues: { mail: { concurrency: 2, maxBacklog: 50, events: true } },
    };
    const { app: started } = await startTaskApp({ ...app, options });
    expect(lines.filter((line) => line.includes('works on'))).toEqual([
      'log This process works on queue "mail": mail.send, mail.open; 2 at once; lease 20 s; at most 50 waiting; with a log of events',
      'log This process works on queue "default": report; 7 at once; lease 20 s',
    ]);
    await started.close();
  });

  it('is that the application has not bootstrapped, where listen() is missing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { app: made } = await createTaskApp(app);
    await made.startAllMicroservices();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lines).toEqual([expect.stringMatching(/^warn .*not bootstrapped yet.*app\.listen\(\) or app\.init\(\)/)]);
    await made.init();
    await made.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('what is said at the end', () => {
  it('is how many tasks are waited for, and how many were released', async () => {
    const { app: started, pool } = await startTaskApp({ ...app, options: { shutdownTimeoutMs: 4_000 } });
    const queue = { runningCount: 2 } as never;
    pool.status = () => ({ state: 'running', queues: [queue, queue] });
    pool.report = { releasedCount: 1, unsettledCount: 3 };
    lines = [];
    await started.close();
    expect(lines).toEqual([
      'log The workers stop: 4 tasks running, waited for 4 s at most',
      expect.stringMatching(
        /^log The workers have stopped after \d.* s: 1 task released for other workers; Redis could not be told of 3 tasks/,
      ),
    ]);
  });

  it('is one line where nothing runs, and none where nothing was started', async () => {
    const { app: started } = await startTaskApp(app);
    lines = [];
    await started.close();
    expect(lines).toEqual([expect.stringMatching(/^log The workers have stopped after 0.* s: no task was released$/)]);
    lines = [];
    const { app: made } = await createTaskApp(app);
    await made.close();
    expect(lines).toEqual([]);
  });
});
