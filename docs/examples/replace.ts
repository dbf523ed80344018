import { Injectable } from '@nestjs/common';
import { type DeadLetter, DEAD_LETTER_SINK, type DeadLetterSink, TaskStreamsModule } from 'nestjs-task-streams';

@Injectable()
export class TicketSink implements DeadLetterSink {
  /** The stream keeps every letter too. */
  readonly replacesStream = false;

  async take(letter: DeadLetter): Promise<void> {
    await openTicket(`${letter.name} died: ${letter.error?.message ?? letter.reason}`, letter.taskId);
  }
}

export const tasks = TaskStreamsModule.forRoot(
  { connection: { url: 'redis://localhost:6379' } },
  { providers: [{ provide: DEAD_LETTER_SINK, useClass: TicketSink }] },
);

async function openTicket(title: string, taskId: string): Promise<void> {
  await Promise.resolve(`${title} (${taskId})`);
}
