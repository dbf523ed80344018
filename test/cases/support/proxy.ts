import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** One connection through the proxy. */
export class Link {
  /** What the client sent last, as text. */
  lastRequest = '';
  /** What it sent since it was answered last. */
  unanswered = '';
  isFrozen = false;

  constructor(
    readonly client: Socket,
    readonly server: Socket,
  ) {}

  /** Ends it as a router does that forgets a connection: with a reset, in the middle of whatever goes on. */
  cut(): void {
    this.client.resetAndDestroy();
    this.server.destroy();
  }

  /** Lets nothing through, and keeps both sockets open. */
  freeze(): void {
    this.isFrozen = true;
    this.client.pause();
    this.server.pause();
  }

  thaw(): void {
    this.isFrozen = false;
    this.client.resume();
    this.server.resume();
  }
}

/** A TCP proxy on the loopback interface between a client and its Redis, for faults of the network. */
export class Proxy {
  readonly links = new Set<Link>();
  /** Connections that were opened so far. */
  opened = 0;
  /** Whether a request is to be answered with nothing but the end of its connection, without reaching the server. */
  onRequest: (request: string, link: Link) => 'pass' | 'cut' = () => 'pass';
  /**
   * Whether a reply is to be swallowed, and its connection ended: the server has done the work, nobody hears of it. Or how
   * many bytes of it are passed before that.
   */
  onReply: (reply: Buffer, link: Link) => 'pass' | 'swallow' | { readonly lastBytes: number } = () => 'pass';
  /** Whether connections that are opened from now on are frozen from the start. */
  freezesNew = false;
  url = '';
  readonly #server = createServer((client) => this.#accept(client));

  private constructor(private target: number) {}

  static async start(targetUrl: string): Promise<Proxy> {
    const proxy = new Proxy(Number(new URL(targetUrl).port));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    proxy.url = `redis://127.0.0.1:${(proxy.#server.address() as { port: number }).port}`;
    onTestFinished(() => proxy.stop());
    return proxy;
  }

  /** The connections whose client waits for the answer to a command. */
  waitingFor(command: string): Link[] {
    return [...this.links].filter((link) => link.unanswered.toLowerCase().includes(command));
  }

  cut(): void {
    for (const link of this.links) link.cut();
  }

  freeze(): void {
    this.freezesNew = true;
    for (const link of this.links) link.freeze();
  }

  thaw(): void {
    this.freezesNew = false;
    for (const link of this.links) link.thaw();
  }

  /** New connections go to another server; the old ones stay, as with a name in the DNS. */
  lead(targetUrl: string): void {
    this.target = Number(new URL(targetUrl).port);
  }

  /** New connections go to another server; the old ones are cut. */
  redirect(targetUrl: string): void {
    this.lead(targetUrl);
    this.cut();
  }

  stop(): void {
    this.#server.close();
    this.cut();
  }

  #accept(client: Socket): void {
    const link = new Link(client, connect(this.target, '127.0.0.1'));
    this.links.add(link);
    this.opened += 1;
    const end = () => {
      this.links.delete(link);
      // What was passed last is on its way still.
      if (client.writableEnded) link.server.destroy();
      else link.cut();
    };
    for (const socket of [client, link.server]) socket.on('error', () => undefined).on('close', end);
    client.on('data', (chunk: Buffer) => {
      link.lastRequest = chunk.toString('latin1');
      link.unanswered += link.lastRequest;
      if (this.onRequest(link.lastRequest, link) === 'cut') link.cut();
      else link.server.write(chunk);
    });
    link.server.on('data', (chunk: Buffer) => {
      const verdict = this.onReply(chunk, link);
      link.unanswered = '';
      if (verdict === 'pass') client.write(chunk);
      else if (verdict === 'swallow') link.cut();
      else {
        client.end(chunk.subarray(0, verdict.lastBytes));
        link.server.destroy();
      }
    });
    if (this.freezesNew) link.freeze();
  }
}
