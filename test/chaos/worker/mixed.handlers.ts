import { Inject, Injectable } from '@nestjs/common';
import { TaskContext, TaskHandler } from 'nestjs-task-streams';
import { JobHandler } from './job.handler.js';
import type { JobPayload } from './settings.js';

type Answer = Promise<{ readonly key: string }>;

/** The same work in several queues, with keys from the sender and from the handler. */
@Injectable()
export class MixedHandlers {
  constructor(@Inject(JobHandler) private readonly jobs: JobHandler) {}

  @TaskHandler('m.fast', { queue: 'm-fast' })
  fast(job: JobPayload, ctx: TaskContext): Answer {
    return this.jobs.run(job, ctx);
  }

  @TaskHandler('m.keyed', { queue: 'm-fast', idempotency: { key: ({ key }: JobPayload) => key } })
  keyed(job: JobPayload, ctx: TaskContext): Answer {
    return this.jobs.run(job, ctx);
  }

  @TaskHandler('m.slow', { queue: 'm-slow' })
  slow(job: JobPayload, ctx: TaskContext): Answer {
    return this.jobs.run(job, ctx);
  }

  @TaskHandler('m.victim', { queue: 'm-victim' })
  victim(job: JobPayload, ctx: TaskContext): Answer {
    return this.jobs.run(job, ctx);
  }

  @TaskHandler('m.drained', { queue: 'm-drained' })
  drained(job: JobPayload, ctx: TaskContext): Answer {
    return this.jobs.run(job, ctx);
  }
}
