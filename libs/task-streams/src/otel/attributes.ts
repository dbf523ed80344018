import type { Attributes } from '@opentelemetry/api';
import { ATTR, emitsOldNames, GROUP, OLD_ATTR, SYSTEM, type Operation } from './semconv.js';

/** Where tasks are kept, as spans say it. */
export interface ServerPlace {
  readonly address: string;
  readonly port: number;
}

/** Makes the attributes that all spans and metrics share. */
export class MessagingAttributes {
  readonly #emitsOldNames = emitsOldNames();

  /** @param clientId The name of this worker, where there is one. */
  constructor(
    private readonly clientId: string | undefined,
    private readonly server: ServerPlace | undefined,
  ) {}

  /** Of few values: for metrics. */
  low(operation: Operation, queue: string | undefined): Attributes {
    return {
      [ATTR.system]: SYSTEM,
      [ATTR.operationName]: operation.name,
      [ATTR.operationType]: operation.type,
      ...(queue === undefined ? {} : { [ATTR.destination]: queue }),
      ...(operation.type === 'process' || operation.type === 'settle' ? { [ATTR.group]: GROUP } : {}),
      ...(this.server ? { [ATTR.serverAddress]: this.server.address, [ATTR.serverPort]: this.server.port } : {}),
      ...(this.#emitsOldNames
        ? { [OLD_ATTR.system]: SYSTEM, [OLD_ATTR.operation]: operation.type === 'send' ? 'publish' : operation.type }
        : {}),
    };
  }

  /** For spans. */
  of(operation: Operation, queue: string | undefined): Attributes {
    return {
      ...this.low(operation, queue),
      ...(this.clientId === undefined ? {} : { [ATTR.clientId]: this.clientId }),
    };
  }
}

/** The host and port of a URL, never more of it: it may hold a password. */
export function placeOf(url: string | undefined): ServerPlace | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  if (hostname === '') return undefined;
  return { address: hostname, port: port === '' ? 6379 : Number(port) };
}
