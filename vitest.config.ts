import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { nest11Dir } from './scripts/lib/install-nest-11.mjs';
import { isOnNest11 } from './test/support/nest/nest-version.js';

const library = (entryPoint: string) => fileURLToPath(new URL(`libs/task-streams/src/${entryPoint}`, import.meta.url));

// Tests read the library from its sources, so none of them waits for a build. Processes that a test starts do not see
// this: they run what `npm run build` wrote.
const alias = [
  { find: /^nestjs-task-streams$/, replacement: library('index.ts') },
  { find: /^nestjs-task-streams\/(admin|health|otel|prometheus|testing)$/, replacement: library('$1/index.ts') },
];

/** `npm run test:nest-11` reads Nest, and what there may be only one of beside it, from where that command installed it. */
const oldNest = [
  {
    find: /^(@nestjs\/(?:common|core|microservices|platform-express|terminus|testing)|nestjs-(?:cls|pino)|reflect-metadata|rxjs)(\/.*)?$/,
    replacement: `${nest11Dir}/node_modules/$1$2`,
  },
];

/** `npm run test:fast` leaves out the specs that are named `*.slow.spec.ts`. */
const slow = process.env['TEST_FAST'] ? ['**/*.slow.spec.ts'] : [];

const redis = './test/support/global-setup.ts';

/**
 * Nest and the library are read once for many specs, which is more than half of their time: they keep nothing between
 * specs but what belongs to a module they make.
 */
const isolate = false;

/**
 * What needs no process of its own is run first, and tells first. It computes: more workers than this would wait for each
 * other.
 */
const quick = { maxWorkers: 3, sequence: { groupOrder: 0 } };

/** These wait most of their time, for a lease to lapse or for a process to start, so more files than there are cores fit. */
const patient = { maxWorkers: 3, sequence: { groupOrder: 1 } };

// Only where it is asked for: it wants the machine for itself, so it is no part of a run with other projects.
const isBenchWanted = process.argv.some((arg) => /^(--project=)?bench$/.test(arg));

const bench = {
  extends: true as const,
  test: {
    name: 'bench',
    include: ['test/bench/**/*.spec.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
};

export default defineConfig({
  resolve: { alias: isOnNest11 ? [...alias, ...oldNest] : alias },
  test: {
    // What is waited for comes soon; on a busy machine, later.
    expect: { poll: { timeout: 10_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: { name: 'unit', isolate, ...quick, include: ['libs/*/src/**/*.spec.ts', 'src/**/*.spec.ts'] },
      },
      {
        extends: true,
        test: { name: 'repository', isolate, ...quick, include: ['test/repository/**/*.spec.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          isolate,
          ...quick,
          include: ['test/integration/**/*.spec.ts', 'test/support/**/*.spec.ts'],
          exclude: slow,
          globalSetup: redis,
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'cases',
          isolate,
          ...patient,
          include: ['test/cases/**/*.spec.ts'],
          exclude: slow,
          globalSetup: [redis, './test/cases/support/build-library.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'cli',
          isolate,
          ...patient,
          include: ['test/cli/**/*.spec.ts'],
          exclude: slow,
          globalSetup: redis,
          // One test starts the program for every command, and on a busy machine each start takes seconds.
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          isolate,
          ...patient,
          include: ['test/e2e/**/*.spec.ts'],
          exclude: slow,
          globalSetup: redis,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'chaos',
          isolate,
          ...patient,
          include: ['test/chaos/**/*.spec.ts'],
          exclude: slow,
          globalSetup: './test/chaos/global-setup.ts',
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
      ...(isBenchWanted ? [bench] : []),
    ],
  },
});
