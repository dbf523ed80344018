import { Module } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { defineTask, TaskClient, TaskContext, TaskHandler, TaskStreamsModule } from 'nestjs-task-streams';

declare function render(to: string): Promise<string>;

interface Mail {
  readonly to: string;
}

export const welcome = defineTask<Mail>('mail.welcome', { queue: 'mail' });
export const goodbye = defineTask<Mail>('mail.goodbye', { queue: 'mail' });

@Injectable()
export class MailTasks {
  @TaskHandler(welcome)
  async welcome(@Payload() { to }: Mail, @Ctx() ctx: TaskContext): Promise<void> {
    ctx.progress(50);
    await render(to);
  }

  @TaskHandler(goodbye)
  async goodbye(@Payload() { to }: Mail): Promise<void> {
    await render(to);
  }
}

@Injectable()
export class SignUp {
  constructor(private readonly tasks: TaskClient) {}

  async run(to: string): Promise<void> {
    await this.tasks.enqueue(welcome, { to }, { id: `welcome-${to}`, delayMs: 5_000, attempts: 3 });
  }
}

@Module({
  imports: [
    TaskStreamsModule.forRoot({
      connection: { url: 'redis://localhost:6379' },
      queues: { mail: { concurrency: 20 } },
      retention: { completedMs: 3_600_000, maxDeadLetters: 5_000 },
    }),
  ],
  providers: [MailTasks, SignUp],
})
export class MailModule {}
