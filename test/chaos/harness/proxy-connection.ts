import type net from 'node:net';
import type { ProxyRules, Verdict } from './proxy-rules.js';
import { commandWords, FrameReader } from './resp-frames.js';

const WORDS = 4;

/** One client and its connection to Redis. */
export class ProxyConnection {
  readonly #commands = new FrameReader();
  readonly #replies = new FrameReader();
  /** What was decided about the commands whose replies are still to come, in order. */
  readonly #awaited: Verdict[] = [];
  readonly #held: { readonly to: net.Socket; readonly bytes: Buffer; readonly way: 'up' | 'down' }[] = [];
  #isFrozen = false;

  constructor(
    private readonly client: net.Socket,
    private readonly server: net.Socket,
    private readonly rules: ProxyRules,
    onClosed: () => void,
  ) {
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => this.reset());
      socket.once('close', () => {
        // A network that lets nothing pass does not tell that the other end is gone either.
        if (this.rules.flow() === 'both' && !this.#isFrozen) this.reset();
        onClosed();
      });
    }
    client.on('data', (chunk) => this.#fromClient(chunk as Buffer));
    server.on('data', (chunk) => this.#fromServer(chunk as Buffer));
  }

  reset(): void {
    for (const socket of [this.client, this.server]) {
      if (socket.destroyed) continue;
      // A socket that is still connecting cannot be reset, and would note each wish to.
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
    }
  }

  /** Sends on what was held back. */
  resume(): void {
    for (const { to, bytes, way } of this.#held.splice(0)) this.#send(to, bytes, way);
    if (this.client.destroyed || this.server.destroyed) this.reset();
  }

  #fromClient(chunk: Buffer): void {
    if (this.rules.isRaw) return this.#send(this.server, chunk, 'up');
    for (const frame of this.#commands.push(chunk)) this.#onCommand(frame);
  }

  #onCommand(frame: Buffer): void {
    if (this.#isFrozen) return;
    const [name = '', ...words] = commandWords(frame, WORDS);
    const verdict = this.rules.judge({ name: name.toUpperCase(), words });
    if (verdict === 'freeze') {
      this.#isFrozen = true;
      return;
    }
    this.#awaited.push(verdict);
    if (typeof verdict === 'object') this.#answerWaiting();
    else this.#send(this.server, frame, 'up');
  }

  #fromServer(chunk: Buffer): void {
    if (this.rules.isRaw) return this.#send(this.client, chunk, 'down');
    for (const frame of this.#replies.push(chunk)) {
      if (this.#isFrozen) return;
      if (this.#awaited.shift() === 'drop-reply') return this.reset();
      this.#send(this.client, frame, 'down');
      this.#answerWaiting();
    }
  }

  /** Answers in place of Redis, as soon as everything before has been answered. */
  #answerWaiting(): void {
    for (let next = this.#awaited[0]; typeof next === 'object'; next = this.#awaited[0]) {
      this.#awaited.shift();
      this.#send(this.client, Buffer.from(`-${next.error}\r\n`), 'down');
    }
  }

  #send(to: net.Socket, bytes: Buffer, way: 'up' | 'down'): void {
    const flow = this.rules.flow();
    if (flow !== 'both' && flow !== way) {
      this.#held.push({ to, bytes, way });
      return;
    }
    const delayMs = this.rules.delayMs();
    if (delayMs > 0) setTimeout(() => this.#write(to, bytes), delayMs);
    else this.#write(to, bytes);
  }

  #write(to: net.Socket, bytes: Buffer): void {
    if (!to.destroyed && to.writable) to.write(bytes);
  }
}
