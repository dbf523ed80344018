import { IsEmail, Length } from 'class-validator';
import { defineTask } from 'nestjs-task-streams';

const MAX_MESSAGE = 500;

/** The body of the request and the payload of the task. */
export class SendNotification {
  @IsEmail()
  readonly to!: string;

  @Length(1, MAX_MESSAGE)
  readonly message!: string;
}

export interface SentNotification {
  readonly to: string;
  /** The attempt that got through, 1 for the first. */
  readonly attempt: number;
}

export const sendNotification = defineTask<SendNotification, SentNotification>('notifications.send', {
  queue: 'notifications',
  payload: SendNotification,
});
