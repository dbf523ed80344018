import { Inject, Injectable } from '@nestjs/common';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { Broker } from '../contracts/broker.interface.js';
import { BROKER } from '../contracts/tokens.js';
import type { FactName } from '../watch/fact.interface.js';
import { rowOf } from '../watch/facts.js';
import type { WorkerEvent } from '../watch/worker-observer.interface.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { ProcessingHooks, type ProcessingEndHook, type ProcessingStartHook } from './processing-hooks.js';
import { TaskRuntime } from './task-runtime.js';
import { REDIS_STREAMS } from '../handlers/transport-id.js';
import { WorkerEvents } from '../watch/worker-events.js';

/** The listeners of {@link RedisStreamsServer.on}, by the kind of event. */
export type WorkerEventListeners = {
  readonly [K in WorkerEvent['kind']]: (event: Extract<WorkerEvent, { kind: K }>) => void;
};

/** Whether the workers have a connection to Redis. */
export type ServerStatus = 'connected' | 'reconnecting' | 'disconnected';

/**
 * The strategy that takes tasks from Redis Streams. `TaskStreamsModule.connect(app)` connects it; by hand it is
 * `app.connectMicroservice({ strategy: app.get(RedisStreamsServer) }, { inheritAppConfig: true })`.
 *
 * @publicApi
 */
@Injectable()
export class RedisStreamsServer extends Server<WorkerEventListeners, ServerStatus> implements CustomTransportStrategy {
  override transportId = REDIS_STREAMS;
  /** Failures are decided about here: Nest 12 need not report them again. Nest 11 does not know this field. */
  override readonly propagatesEventHandlerErrors = true;

  #shownStatus: ServerStatus | undefined;

  constructor(
    @Inject(HandlerRegistry) private readonly registry: HandlerRegistry,
    @Inject(TaskRuntime) private readonly runtime: TaskRuntime,
    @Inject(ProcessingHooks) private readonly hooks: ProcessingHooks,
    @Inject(WorkerEvents) private readonly events: WorkerEvents,
    @Inject(BROKER) private readonly broker: Broker,
  ) {
    super();
    events.listen({
      hears: (name) => statusAfter(name) !== undefined,
      wants: (name) => statusAfter(name) !== this.#shownStatus,
      tell: ({ name }) => this.#show(statusAfter(name)),
    });
  }

  /** Takes none: what Nest offers here is for other transports, and methods with `@TaskHandler` are found by themselves. */
  override addHandler(): void {}

  /** The handlers by `queue/name`. */
  override getHandlers(): Map<string, MessageHandler> {
    return new Map(
      [...this.registry].map(({ queue, name, invoke }) => [`${queue}/${name}`, invoke as unknown as MessageHandler]),
    );
  }

  /** Registers the handlers and lets the workers start once the application has bootstrapped. */
  listen(callback: (error?: unknown) => void): void {
    try {
      this.runtime.listen();
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }

  /** Drains the workers. Can be called twice. */
  async close(): Promise<void> {
    await this.runtime.stop();
    this.#show('disconnected');
  }

  /** Hears what the workers do, such as `settled` or `redis-error`. A listener that throws is ignored. */
  on<K extends keyof WorkerEventListeners, L extends WorkerEventListeners[K] = WorkerEventListeners[K]>(
    kind: K,
    listener: L,
  ): void {
    this.events.on(kind, listener as never);
  }

  /** The broker behind this server. For code of this library's own kind: its methods may change in any release. */
  unwrap<T>(): T {
    return this.broker as T;
  }

  override setOnProcessingStartHook(hook: ProcessingStartHook): void {
    this.hooks.start = hook;
  }

  override setOnProcessingEndHook(hook: ProcessingEndHook): void {
    this.hooks.end = hook;
  }

  #show(status: ServerStatus | undefined): void {
    this.#shownStatus = status;
    if (status !== undefined) this._status$.next(status);
  }
}

/** What a fact says about the connection; `undefined` where it says nothing. */
function statusAfter(name: FactName): ServerStatus | undefined {
  const { redis } = rowOf(name);
  if (redis === undefined) return undefined;
  return redis === 'fails' ? 'reconnecting' : 'connected';
}
