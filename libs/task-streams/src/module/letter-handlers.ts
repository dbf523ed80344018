import type { Provider } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Broker } from '../contracts/broker.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import { DeadLetterService } from '../dead-letters/dead-letter.service.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { DeadLetterHandlers } from '../dead-letters/dead-letter-handlers.js';
import type { RuntimePool } from '../transport/task-runtime.js';
import { WorkerEvents } from '../watch/worker-events.js';
import type { WorkerPool } from '../worker/worker-pool.js';

/** The methods with `@DeadLetterHandler` of this application. */
export const LETTER_HANDLERS: Provider = {
  provide: DeadLetterHandlers,
  inject: [DiscoveryService, MetadataScanner, BROKER, DeadLetterService, WorkerEvents, RESOLVED_OPTIONS],
  useFactory: (
    discovery: DiscoveryService,
    scanner: MetadataScanner,
    { deadLetters: feed }: Broker,
    letters: DeadLetterService,
    ...[observer, { shutdownTimeoutMs }]: [WorkerEvents, ResolvedOptions]
  ) => new DeadLetterHandlers({ discovery, scanner, feed, letters, observer, shutdownTimeoutMs }),
};

/** Whatever starts and stops the workers does the same to the handlers of dead letters. */
export function withLetterHandlers(pool: WorkerPool, letters: DeadLetterHandlers): RuntimePool {
  return {
    start: (queues) => {
      // Refuses what cannot work before anything runs.
      letters.start();
      pool.start(queues);
    },
    drain: async () => {
      const [report] = await Promise.all([pool.drain(), letters.stop()]);
      return report;
    },
    status: () => pool.status(),
  };
}
