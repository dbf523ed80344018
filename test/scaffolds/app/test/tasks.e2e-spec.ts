import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TaskClient, TaskFailedError, TaskStreamsModule } from 'nestjs-task-streams';
import { AppModule } from '../src/app.module.js';
import { MailTasks, sendMail } from '../src/mail.tasks.js';

describe('mails (e2e)', () => {
  let app: INestApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    app = module.createNestApplication();
    TaskStreamsModule.connect(app);
    await app.startAllMicroservices();
    await app.init();
  });

  afterAll(() => app.close());

  it('are sent', async () => {
    const { ref } = await app.get(TaskClient).enqueue(sendMail, { to: 'ann@example.com' });
    expect(await app.get(TaskClient).result(ref, { timeoutMs: 4_000 })).toBe('sent to ann@example.com');
    expect(app.get(MailTasks).completed).toEqual(['mail.send']);
  });

  it('to nobody are not tried again', async () => {
    const { ref } = await app.get(TaskClient).enqueue(sendMail, { to: 'nobody@example.com' });
    await expect(app.get(TaskClient).result(ref, { timeoutMs: 4_000 })).rejects.toBeInstanceOf(TaskFailedError);
    expect(await app.get(TaskClient).get(ref)).toMatchObject({ state: 'dead', failedAttempts: 1 });
  });
});
