import { Test } from '@nestjs/testing';
import { MailTasks, Postman } from './mail.tasks.js';

describe('MailTasks', () => {
  it('is made by a module that has nothing but its own dependencies', async () => {
    const postman = { send: (to: string) => `pretended ${to}` };
    const module = await Test.createTestingModule({
      providers: [MailTasks, { provide: Postman, useValue: postman }],
    }).compile();

    const answer = module.get(MailTasks).send({ to: 'ann@example.com' }, { log: () => undefined } as never);

    expect(answer).toBe('pretended ann@example.com');
  });
});
