import { Injectable } from '@nestjs/common';
import { TaskHandler } from 'nestjs-task-streams';

@Injectable()
export class NewsletterHandler {
  // A second click on "send" while the first one is at work, or after it: nothing happens, and the record says so.
  @TaskHandler('newsletter.send', { idempotency: { onDuplicate: 'skip', onInProgress: 'drop' } })
  send(): void {}
}
