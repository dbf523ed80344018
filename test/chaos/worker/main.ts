import 'reflect-metadata';
import { ConsoleLogger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { IDEMPOTENCY_STORE, RedisStreamsServer, TaskStreamsModule, type TaskStreamsOptions } from 'nestjs-task-streams';
import { clusterConnection } from '../../support/topologies/cluster-connection.js';
import { applyControl } from '../controls/apply-control.js';
import { NO_KEY_LOCK } from '../controls/no-key-lock.js';
import { isUsualSnippet } from '../controls/control-name.js';
import { shareName } from './share-name.js';
import { LedgerWriter } from '../harness/ledger.js';
import { FileIdempotencyStore } from './file-idempotency-store.js';
import { JobHandler, SETTINGS } from './job.handler.js';
import type { WorkerSettings } from './settings.js';
import { MixedHandlers } from './mixed.handlers.js';
import { runUsualSnippet } from './usual-snippet.js';
import { Witness } from './witness.js';

const settings = JSON.parse(process.env['CHAOS_SETTINGS'] ?? '{}') as WorkerSettings;
const witness = new Witness(new LedgerWriter(settings.ledgerDir, 'worker'), settings.killAt);

function replacements(): { provide: symbol; useValue: unknown }[] {
  if (settings.control === 'no-key-lock') return [{ provide: IDEMPOTENCY_STORE, useValue: NO_KEY_LOCK }];
  if (settings.marksDir === undefined) return [];
  const store = new FileIdempotencyStore(settings.marksDir, ({ owner }) =>
    witness.killAt('after-mark', owner.taskId, owner.deliveryCount),
  );
  return [{ provide: IDEMPOTENCY_STORE, useValue: store }];
}

const connected: TaskStreamsOptions = settings.clusterNodes
  ? { ...settings.options, connection: clusterConnection(settings.clusterNodes) }
  : settings.options;

@Module({
  imports: [TaskStreamsModule.forRoot(connected, { providers: replacements() })],
  providers: [
    ...(settings.isMixed ? [MixedHandlers] : []),
    JobHandler,
    { provide: Witness, useValue: witness },
    { provide: SETTINGS, useValue: settings },
  ],
})
class WorkerModule {}

// Nobody is left to restart this worker or to look at it: it must not outlive the harness.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.channel?.unref();

async function runWorker(): Promise<void> {
  const logger = new ConsoleLogger({ logLevels: ['warn', 'error'] });
  // The adapter is named, because the worker is bundled: Nest would look for the package on the disk.
  const app = await NestFactory.create(WorkerModule, new ExpressAdapter(), { logger });
  app.enableShutdownHooks([], { useProcessExit: true });
  const server = app.get(RedisStreamsServer);
  witness.listen(server);
  applyControl(settings, server.unwrap());
  if (settings.sharedName !== undefined) shareName(server.unwrap(), settings.sharedName);
  TaskStreamsModule.connect(app);
  await app.startAllMicroservices();
  await app.init();
  process.send?.('ready');
}

await (isUsualSnippet(settings.control) ? runUsualSnippet(settings, witness.ledger) : runWorker());
