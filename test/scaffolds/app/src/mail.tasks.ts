import { Injectable } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { IsEmail } from 'class-validator';
import { defineTask, OnTaskEvent, TaskContext, TaskHandler, UnrecoverableError } from 'nestjs-task-streams';
import type { TaskEventOf } from 'nestjs-task-streams';
import { giveUp } from 'scaffold-shared';

export class Mail {
  @IsEmail()
  to!: string;
}

export const sendMail = defineTask<Mail>('mail.send', { queue: 'mail', payload: Mail });

/** Stands for the program that sends mails. */
@Injectable()
export class Postman {
  send(to: string): string {
    if (to.startsWith('nobody')) throw new UnrecoverableError('nobody lives there');
    if (to.startsWith('everybody')) giveUp();
    return `sent to ${to}`;
  }
}

@Injectable()
export class MailTasks {
  readonly completed: string[] = [];

  constructor(private readonly postman: Postman) {}

  @TaskHandler(sendMail, { retry: { attempts: 4 } })
  send(@Payload() mail: Mail, @Ctx() context: TaskContext): string {
    context.log('writing the envelope');
    return this.postman.send(mail.to);
  }

  @OnTaskEvent('completed')
  onCompleted(event: TaskEventOf<'completed'>): void {
    this.completed.push(event.task);
  }
}
