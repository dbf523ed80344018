import { ConsoleLogger, Injectable, Logger, Module, type ExecutionContext } from '@nestjs/common';
import { ClsModule, type ClsService } from 'nestjs-cls';
import { LoggerModule, type Params } from 'nestjs-pino';
import {
  OnTaskEvent,
  TASK_ERROR_REPORTER,
  TaskContext,
  taskLogFields,
  TaskStreamsModule,
  type FailedAttempt,
  type TaskErrorReporter,
  type TaskEventOf,
} from 'nestjs-task-streams';
import { openTelemetry } from 'nestjs-task-streams/otel';
import { TaskStreamsPrometheusModule } from 'nestjs-task-streams/prometheus';

declare function notifyOnCall(text: string): Promise<void>;
declare const Sentry: { captureException(error: unknown, hint: object): void };

@Module({
  imports: [
    TaskStreamsModule.forRoot({ connection: { url: 'redis://localhost:6379' } }),
    TaskStreamsPrometheusModule.register(),
  ],
})
export class MeasuredModule {}

export const traced = TaskStreamsModule.forRoot(
  { connection: { url: 'redis://localhost:6379' } },
  { providers: openTelemetry() },
);

@Injectable()
export class PaymentAlarm {
  @OnTaskEvent('dead', { queue: 'payments' })
  async wakeSomebody({ task, taskId, reason }: TaskEventOf<'dead'>): Promise<void> {
    await notifyOnCall(`${task} ${taskId} was given up: ${reason}`);
  }

  @OnTaskEvent(['lease-lost', 'stalled-loop'])
  warn(event: TaskEventOf<'lease-lost' | 'stalled-loop'>): void {
    new Logger('PaymentAlarm').warn(`This process was too slow for its leases (${event.kind})`);
  }
}

@Injectable()
export class SentryReporter implements TaskErrorReporter {
  report(error: unknown, { queue, task, attempt, isLastAttempt, ...extra }: FailedAttempt): void {
    // An attempt that is followed by another one is noise to most teams.
    if (isLastAttempt) Sentry.captureException(error, { tags: { queue, task }, extra: { attempt, ...extra } });
  }
}

export const reported = TaskStreamsModule.forRoot(
  { asyncContext: true },
  { providers: [{ provide: TASK_ERROR_REPORTER, useClass: SentryReporter }] },
);

/** `new TaskLogger({ json: true, flattenParams: true })` */
export class TaskLogger extends ConsoleLogger {
  protected override getJsonLogObject(
    ...args: Parameters<ConsoleLogger['getJsonLogObject']>
  ): ReturnType<ConsoleLogger['getJsonLogObject']> {
    return { ...taskLogFields(), ...super.getJsonLogObject(...args) };
  }
}

export const pinoHttp = {
  mixin: taskLogFields,
  hooks: {
    // Nest hands the fields over behind the sentence, where pino would take them for values to put into it.
    logMethod(args, write) {
      const [first, message, fields, stack] = args as [object, string?, unknown?, string?];
      const isLine = typeof fields === 'object' && fields !== null;
      if (isLine) write.call(this, { ...first, ...fields, ...(stack === undefined ? {} : { stack }) }, message);
      else write.apply(this, args);
    },
  },
} satisfies Params['pinoHttp'];

export const pino = LoggerModule.forRoot({ pinoHttp });

export const cls = ClsModule.forRoot({
  global: true,
  interceptor: {
    mount: true,
    setup: (store: ClsService, host: ExecutionContext) => {
      const context: unknown = host.switchToRpc().getContext();
      if (context instanceof TaskContext) store.set('tenant', context.headers['tenant']);
    },
  },
});
