import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Payload } from '@nestjs/microservices';
import { defineTask, TaskClient, TaskHandler, type TaskReceipt, TaskStreamsModule } from 'nestjs-task-streams';

interface Welcome {
  readonly to: string;
}

export const sendWelcome = defineTask<Welcome>('mail.welcome', { queue: 'mail' });

@Injectable()
export class WelcomeMail {
  constructor(private readonly tasks: TaskClient) {}

  /** In a web request: answers as soon as Redis has the task. */
  signUp(to: string): Promise<TaskReceipt> {
    return this.tasks.enqueue(sendWelcome, { to });
  }

  /** In a worker: up to five attempts, then a dead letter. */
  @TaskHandler(sendWelcome)
  send(@Payload() { to }: Welcome): void {
    console.log(`Dear ${to}, welcome.`);
  }
}

@Module({
  imports: [TaskStreamsModule.forRoot({ connection: { url: process.env['REDIS_URL'] ?? 'redis://localhost:6379' } })],
  providers: [WelcomeMail],
})
export class AppModule {}

export async function bootstrap(port: number) {
  const app = await NestFactory.create(AppModule);
  app.enableShutdownHooks();
  TaskStreamsModule.connect(app);
  await app.startAllMicroservices();
  await app.listen(port);
  return app;
}
