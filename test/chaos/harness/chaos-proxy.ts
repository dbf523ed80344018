import net from 'node:net';
import { once } from 'node:events';
import { ProxyConnection } from './proxy-connection.js';
import type { Flow, Judge } from './proxy-rules.js';

const PASS: Judge = () => 'pass';

/** Stands between a client and Redis and misbehaves as networks do. */
export class ChaosProxy {
  readonly #connections = new Set<ProxyConnection>();
  readonly #server: net.Server;
  judge: Judge = PASS;
  delayMs = 0;
  flow: Flow = 'both';
  /** How many commands have come by, also those that were answered here. */
  commandCount = 0;
  #port = 0;

  /**
   * @param targetPort Where Redis listens; may change.
   * @param isRaw Passes bytes without looking at them, for replication.
   */
  constructor(
    public targetPort: number,
    private readonly isRaw = false,
  ) {
    this.#server = net.createServer((socket) => this.#accept(socket));
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as net.AddressInfo).port;
    return this;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Lets everything pass again. What is frozen stays so until it is reset. */
  heal(): void {
    this.judge = PASS;
    this.delayMs = 0;
    this.flow = 'both';
    for (const connection of this.#connections) connection.resume();
  }

  /** Breaks all connections with a reset. */
  resetAll(): void {
    for (const connection of this.#connections) connection.reset();
  }

  async close(): Promise<void> {
    this.resetAll();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(socket: net.Socket): void {
    const connection: ProxyConnection = new ProxyConnection(
      socket,
      net.connect(this.targetPort, '127.0.0.1'),
      {
        isRaw: this.isRaw,
        judge: (command) => {
          this.commandCount += 1;
          return this.judge(command);
        },
        delayMs: () => this.delayMs,
        flow: () => this.flow,
      },
      () => this.#connections.delete(connection),
    );
    this.#connections.add(connection);
  }
}
