import type { Abstract, ExistingProvider } from '@nestjs/common';
import { AuditTrail } from '../operate/audit-trail.js';
import { DeadLetterService } from '../dead-letters/dead-letter.service.js';
import { TaskCatalog } from '../producer/task-catalog.js';
import { TaskClient } from '../producer/task-client.js';
import { QueueControl } from '../operate/queue-control.js';
import { QueueInspector } from '../operate/queue-inspector.js';
import { LIBRARY_VERSION } from '../task/library-version.js';
import { RedisStreamsServer } from '../transport/redis-streams.server.js';
import { TaskRuntime } from '../transport/task-runtime.js';
import { TaskWorkers } from '../transport/task-workers.js';
import { WorkerPool } from '../worker/worker-pool.js';

/** What is injected by its class, in one copy of this library. */
interface Copy {
  readonly version: string;
  readonly classes: Readonly<Record<string, Abstract<unknown>>>;
}

const COPIES = Symbol.for('nestjs-task-streams:copies');

const own: Copy = {
  version: LIBRARY_VERSION,
  classes: {
    AuditTrail,
    DeadLetterService,
    QueueControl,
    QueueInspector,
    RedisStreamsServer,
    TaskCatalog,
    TaskClient,
    TaskRuntime,
    TaskWorkers,
    WorkerPool,
  },
};

const copies = ((globalThis as { [COPIES]?: Copy[] })[COPIES] ??= []);
copies.push(own);

/**
 * Lets a package that has a copy of this library of its own, or that loads it as CommonJS beside ES modules, inject what the
 * application has. Copies of another version stay apart.
 */
export function aliasesForOtherCopies(): ExistingProvider[] {
  const others = copies.filter((copy) => copy !== own && copy.version === own.version);
  return others.flatMap(({ classes }) =>
    Object.entries(own.classes).flatMap(([name, useExisting]) => {
      const provide = classes[name];
      return provide === undefined ? [] : [{ provide, useExisting }];
    }),
  );
}
