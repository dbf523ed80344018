import { Controller, Headers, type MessageEvent, Param, Sse } from '@nestjs/common';
import { TaskClient, type TaskReceipt } from 'nestjs-task-streams';
import { map, type Observable } from 'rxjs';

export async function stop(tasks: TaskClient, receipt: TaskReceipt): Promise<string> {
  const { kind, state } = await tasks.cancel(receipt.ref, { reason: 'a wrong year', actor: 'ann' });
  return `${kind}, it was ${state}`;
}

@Controller()
export class ExportsController {
  constructor(private readonly tasks: TaskClient) {}

  @Sse('exports/:id/events')
  events(@Param('id') taskId: string, @Headers('last-event-id') after?: string): Observable<MessageEvent> {
    const changes = this.tasks.events({ queue: 'reports', taskId, after });
    return changes.pipe(map(({ cursor, kind, details }) => ({ id: cursor, type: kind, data: { kind, details } })));
  }
}
