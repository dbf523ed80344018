import { Injectable } from '@nestjs/common';
import { FakePartnerServer } from './fake-partner.server.js';

const TIMEOUT_MS = 5000;

/** The partner did not take the message. */
export class PartnerError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** Sends messages to the partner. */
@Injectable()
export class PartnerClient {
  constructor(private readonly partner: FakePartnerServer) {}

  /**
   * Posts a message. The key lets the partner take it once, however often it is sent.
   *
   * @throws PartnerError when the partner refuses it; what `fetch` throws when it does not answer in time.
   */
  async send(message: object, key: string, signal: AbortSignal): Promise<void> {
    const response = await fetch(this.partner.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify(message),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const answer = await response.text();
    if (!response.ok) throw new PartnerError(`${answer} (HTTP ${response.status})`, response.status);
  }
}
