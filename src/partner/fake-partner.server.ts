import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PartnerStateStore } from './partner-state.store.js';

const FLAKY_FAILURES = 2;

/**
 * Stands in for another company's HTTP interface: a real server on a port of its own in each worker, so that a
 * notification makes a real request that really fails.
 */
@Injectable()
export class FakePartnerServer implements OnModuleInit, OnApplicationShutdown {
  readonly #server: Server;

  constructor(private readonly state: PartnerStateStore) {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => send(response, 500, String(error)));
    });
  }

  /** Where messages are posted. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/messages`;
  }

  async onModuleInit(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
  }

  onApplicationShutdown(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const key = String(request.headers['idempotency-key']);
    const { mode } = await this.state.read();
    if (mode === 'down') return send(response, 503, 'The partner is out of order');
    const tries = await this.state.countTry(key);
    if (mode === 'flaky' && tries <= FLAKY_FAILURES) return send(response, 502, `The partner stumbled at try ${tries}`);
    await this.state.noteDelivery(key);
    send(response, 202, 'Taken');
  }
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
}
