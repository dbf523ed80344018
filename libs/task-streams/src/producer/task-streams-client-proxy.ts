import { ClientProxy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import type { Broker } from '../contracts/broker.interface.js';
import type { ProducerObserver } from '../watch/producer-observer.interface.js';
import type { TaskTracing } from '../contracts/task-tracing.interface.js';
import { resolveOptions } from '../options/resolve-options.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import type { TaskStreamsOptions } from '../options/task-streams-options.js';
import { UsageError } from '../task/config-errors.js';
import type { TaskContract } from '../task/task-contract.js';
import type { TaskReceipt } from './enqueue-options.js';
import { LateObserver } from './late-observer.js';
import { TaskCatalog } from './task-catalog.js';
import { TaskClient } from './task-client.js';

/**
 * Options of a `TaskStreamsClientProxy`.
 *
 * @publicApi
 */
export interface TaskStreamsClientProxyOptions extends TaskStreamsOptions {
  /** The queue tasks go to. Default: the queue of the contract, else `default`. */
  readonly queue?: string;
  /** Follows what is sent through a tracing system, such as the one of `nestjs-task-streams/otel`. Default none. */
  readonly tracing?: TaskTracing;
}

interface OpenConnection {
  readonly broker: Broker;
  readonly client: TaskClient;
}

/**
 * Enqueues tasks through Nest's `ClientProxy`, for code that is written against it. `emit(name, payload)` enqueues at
 * once and answers the receipt; `send` is an error, because a task has no reply to wait for.
 *
 * The module's `TaskStreamsClientProxy` is this class with Redis behind it.
 */
export abstract class TaskStreamsClientProxyBase extends ClientProxy {
  private readonly options: ResolvedOptions;
  private readonly queue: string | undefined;
  private readonly tracing: TaskTracing | undefined;
  private readonly observer = new LateObserver();
  private connecting: Promise<OpenConnection> | undefined;
  private client: TaskClient | undefined;

  /** @throws InvalidOptionError */
  constructor(options: TaskStreamsClientProxyOptions = {}) {
    super();
    const { queue, tracing, ...rest } = options;
    this.queue = queue;
    this.tracing = tracing;
    this.options = resolveOptions({ ...rest, mode: 'producer' });
  }

  /** Makes the broker. Called once for each connection. */
  protected abstract createBroker(options: ResolvedOptions): Broker;

  /** Names who hears of what is sent from now on. The module calls it for each proxy among the providers. @internal */
  tellTo(observer: ProducerObserver): void {
    this.observer.passTo(observer);
  }

  /** Connects and checks the server; done by the first `emit` too. */
  override async connect(): Promise<void> {
    await this.open();
  }

  /** Closes the connections. A later `emit` opens them again. */
  override async close(): Promise<void> {
    const connecting = this.connecting;
    this.connecting = undefined;
    this.client = undefined;
    // One that failed has closed itself.
    const connection = await connecting?.catch(() => undefined);
    await connection?.broker.server.close();
  }

  /**
   * The {@link TaskClient} behind this proxy, for `enqueueMany`, `get`, `result`, and the options of `enqueue`.
   *
   * @throws UsageError before it is connected.
   */
  override unwrap<T = TaskClient>(): T {
    if (this.client === undefined) throw new UsageError('The client is not connected yet; await connect() first.');
    return this.client as T;
  }

  protected override async dispatchEvent<T = TaskReceipt>(packet: ReadPacket): Promise<T> {
    const { client } = await this.open();
    const headers = packet.metadata;
    const task = requireTask(packet.pattern);
    // The compiler is not told which of the two it is: both have an overload.
    return (await client.enqueue(task as TaskContract, packet.data, headers ? { headers } : {})) as T;
  }

  protected override publish(packet: ReadPacket, callback: (packet: WritePacket) => void): () => void {
    const err = new UsageError(
      `send(${JSON.stringify(packet.pattern)}) waits for a reply, and a task has none. Use emit() to enqueue it, or ` +
        'TaskClient.enqueue() and TaskClient.result() to wait for what it comes to.',
    );
    callback({ err, isDisposed: true });
    return () => undefined;
  }

  private open(): Promise<OpenConnection> {
    if (this.connecting !== undefined) return this.connecting;
    const connecting = this.openOnce();
    this.connecting = connecting;
    connecting.then(
      ({ client }) => {
        if (this.connecting === connecting) this.client = client;
      },
      () => {
        // The next call tries again.
        if (this.connecting === connecting) this.connecting = undefined;
      },
    );
    return connecting;
  }

  private async openOnce(): Promise<OpenConnection> {
    const broker = this.createBroker(this.options);
    try {
      await broker.server.check();
    } catch (error) {
      await broker.server.close();
      throw error;
    }
    const catalog = new TaskCatalog();
    const { options, queue, tracing, observer } = this;
    return { broker, client: new TaskClient({ broker, options, catalog, queue, tracing, observer }) };
  }
}

function requireTask(pattern: unknown): string | TaskContract {
  if (typeof pattern === 'string') return pattern;
  if (typeof pattern === 'object' && pattern !== null && 'name' in pattern && 'queue' in pattern)
    return pattern as TaskContract;
  throw new UsageError(`emit(${JSON.stringify(pattern)}) names no task; give the name of a task, or its contract.`);
}
