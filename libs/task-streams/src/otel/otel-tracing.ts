import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { Delivery } from '../contracts/work-store.interface.js';
import type {
  ProcessedEnd,
  ProcessedTask,
  RedrivenTask,
  SentTask,
  TaskTracing,
  TraceIds,
} from '../contracts/task-tracing.interface.js';
import type { TaskHeaders } from '../task/envelope.js';
import type { Fact } from '../watch/fact.interface.js';
import { OUTCOMES } from '../watch/facts.js';
import type { MessagingAttributes } from './attributes.js';
import { contextOf, headersOf, linksTo } from './carrier.js';
import type { ResolvedOtelOptions } from './otel-options.js';
import { isFailure, outcomeAttributes, settleOperation } from './outcome-attributes.js';
import { ATTR } from './semconv.js';
import { describeError } from '../task/error-description.js';

/** The attempt of a delivery. */
interface Attempt {
  readonly span: Span;
  /** When it was over, in milliseconds since 1970; 0 while it runs. */
  endedAt: number;
}

const SEND = { type: 'send', name: 'send' } as const;
const CREATE = { type: 'create', name: 'create' } as const;
const PROCESS = { type: 'process', name: 'process' } as const;
const REDRIVE = { type: 'send', name: 'redrive' } as const;

/** Follows tasks with the tracer of OpenTelemetry. Nothing is made while there is no task. */
export class OtelTracing implements TaskTracing {
  readonly #tracer: Tracer;
  /** Forgotten with the delivery. */
  readonly #attempts = new WeakMap<Delivery, Attempt>();

  constructor(
    private readonly options: ResolvedOtelOptions,
    private readonly attributes: MessagingAttributes,
  ) {
    this.#tracer = options.tracerProvider.getTracer('nestjs-task-streams');
  }

  async send<T>(task: SentTask, append: (headers: TaskHeaders) => Promise<T>): Promise<T> {
    const span = this.#start(`send ${task.queue}`, SpanKind.PRODUCER, {
      ...this.attributes.of(SEND, task.queue),
      ...ofSent(task),
    });
    const active = trace.setSpan(context.active(), span);
    return this.#within(span, active, () => append(headersOf(active, this.options.baggage)));
  }

  async sendMany<T>(tasks: readonly SentTask[], append: (headers: readonly TaskHeaders[]) => Promise<T>): Promise<T> {
    if (tasks.length === 0) return append([]);
    const created = tasks.map((task) => this.#create(task));
    const [queue, ...others] = [...new Set(tasks.map((task) => task.queue))];
    const destination = others.length === 0 ? queue : undefined;
    const span = this.#tracer.startSpan(destination === undefined ? 'send' : `send ${destination}`, {
      kind: SpanKind.CLIENT,
      links: created.map(({ span: one }) => ({ context: one.spanContext() })),
      attributes: { ...this.attributes.of(SEND, destination), [ATTR.batchCount]: tasks.length },
    });
    const headers = created.map((one) => one.headers);
    return this.#within(span, trace.setSpan(context.active(), span), () => append(headers));
  }

  create(task: SentTask): TaskHeaders {
    return this.#create(task).headers;
  }

  process(task: ProcessedTask, run: () => Promise<ProcessedEnd>): Promise<ProcessedEnd> {
    const { delivery } = task;
    const sender = contextOf(task.headers);
    const span = this.#startProcess(task, sender);
    this.#attempts.set(delivery, { span, endedAt: 0 });
    const baggage = this.options.baggage ? propagation.getBaggage(sender) : undefined;
    const root = baggage ? propagation.setBaggage(ROOT_CONTEXT, baggage) : ROOT_CONTEXT;
    return context.with(trace.setSpan(root, span), async () => {
      const end = await run();
      this.#end(delivery, end);
      return end;
    });
  }

  giveUp(delivery: Delivery, end: ProcessedEnd): void {
    this.#end(delivery, end);
  }

  async redrive<T>(task: RedrivenTask, send: () => Promise<T>): Promise<T> {
    const { queue, name, taskId, headers } = task;
    const span = this.#tracer.startSpan(`send ${queue}`, {
      kind: SpanKind.PRODUCER,
      links: linksTo(contextOf(headers)),
      attributes: { ...this.attributes.of(REDRIVE, queue), [ATTR.messageId]: taskId, [ATTR.task]: name },
    });
    return this.#within(span, trace.setSpan(context.active(), span), send);
  }

  async redriveMany<T>(tasks: readonly RedrivenTask[], send: () => Promise<T>): Promise<T> {
    const queue = tasks[0]?.queue;
    const span = this.#tracer.startSpan(`send ${queue}`, {
      kind: SpanKind.PRODUCER,
      links: tasks.flatMap(({ headers }) => linksTo(contextOf(headers))),
      attributes: { ...this.attributes.of(REDRIVE, queue), [ATTR.batchCount]: tasks.length },
    });
    return this.#within(span, trace.setSpan(context.active(), span), send);
  }

  traceOf(delivery: Delivery): TraceIds | undefined {
    const attempt = this.#attempts.get(delivery);
    if (attempt === undefined) return undefined;
    const { traceId, spanId } = attempt.span.spanContext();
    return { traceId, spanId };
  }

  /** A span for a settlement, from the end of its attempt until now. */
  settled({ name, delivery, outcome }: Fact): void {
    if (delivery === undefined || outcome === undefined) return;
    const attempt = this.#attempts.get(delivery);
    if (attempt === undefined) return;
    const span = this.#tracer.startSpan(
      `settle ${delivery.queue}`,
      {
        kind: SpanKind.CLIENT,
        startTime: attempt.endedAt || Date.now(),
        attributes: {
          ...this.attributes.of(settleOperation(outcome), delivery.queue),
          ...ofDelivery(delivery),
          ...outcomeAttributes(outcome),
        },
      },
      trace.setSpan(ROOT_CONTEXT, attempt.span),
    );
    if (name !== OUTCOMES[outcome.kind].name) {
      span.setAttribute(ATTR.errorType, name);
      span.setStatus({ code: SpanStatusCode.ERROR, message: `the settlement was not taken: ${name}` });
    }
    span.end();
  }

  #startProcess(task: ProcessedTask, sender: Context): Span {
    const { delivery, attempt } = task;
    const isChild = this.options.parent === 'producer';
    return this.#tracer.startSpan(
      `process ${delivery.queue}`,
      {
        kind: SpanKind.CONSUMER,
        root: !isChild,
        links: isChild ? [] : linksTo(sender),
        attributes: {
          ...this.attributes.of(PROCESS, delivery.queue),
          ...ofDelivery(delivery),
          [ATTR.attempt]: attempt,
        },
      },
      isChild ? sender : ROOT_CONTEXT,
    );
  }

  #create(task: SentTask): { readonly span: Span; readonly headers: TaskHeaders } {
    const span = this.#start(`create ${task.queue}`, SpanKind.PRODUCER, {
      ...this.attributes.of(CREATE, task.queue),
      ...ofSent(task),
    });
    span.end();
    return { span, headers: headersOf(trace.setSpan(context.active(), span), this.options.baggage) };
  }

  #start(name: string, kind: SpanKind, attributes: Attributes): Span {
    return this.#tracer.startSpan(name, { kind, attributes });
  }

  async #within<T>(span: Span, active: Context, work: () => Promise<T>): Promise<T> {
    try {
      return await context.with(active, work);
    } catch (error) {
      this.#fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  #end(delivery: Delivery, { outcome, error }: ProcessedEnd): void {
    const attempt = this.#attempts.get(delivery);
    if (attempt === undefined || attempt.endedAt > 0) return;
    attempt.endedAt = Date.now();
    attempt.span.setAttributes(outcomeAttributes(outcome));
    if (isFailure(outcome)) this.#fail(attempt.span, error);
    attempt.span.end(attempt.endedAt);
  }

  #fail(span: Span, error: unknown): void {
    const { name, message } = describeError(error);
    span.setAttribute(ATTR.errorType, name);
    span.recordException(error instanceof Error ? error : message);
    if (this.options.isError(error)) span.setStatus({ code: SpanStatusCode.ERROR, message });
  }
}

function ofSent({ item }: SentTask): Attributes {
  return { [ATTR.messageId]: item.id, [ATTR.task]: item.name, [ATTR.bodySize]: Buffer.byteLength(item.body) };
}

function ofDelivery({ taskId, name, entryId, deliveryCount }: Delivery): Attributes {
  return {
    [ATTR.messageId]: taskId,
    [ATTR.task]: name,
    [ATTR.entryId]: entryId,
    [ATTR.deliveryCount]: deliveryCount,
  };
}
