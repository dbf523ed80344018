import { inject, describe, expect, it, onTestFinished, vi } from 'vitest';

import { TaskClient } from 'nestjs-task-streams';

describe('the example of the README', () => {
  it('runs as it stands there', async () => {
    vi.stubEnv('REDIS_URL', inject('redisUrl'));
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const { bootstrap, WelcomeMail } = await import('../../../docs/examples/quick-start.js');
    const app = await bootstrap(0);
    onTestFinished(() => app.close());

    const receipt = await app.get(WelcomeMail).signUp(`Ann ${process.pid}`);

    expect(receipt).toMatchObject({ queue: 'mail', state: 'waiting', duplicate: false });
    await app.get(TaskClient).result(receipt.ref, { timeoutMs: 10_000 });
    expect(log).toHaveBeenCalledWith(`Dear Ann ${process.pid}, welcome.`);
  });
});
