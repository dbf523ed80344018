import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
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

/** What is quick tells first, and what takes longest in one file does not come last. */
const ORDER = ['unit', 'repository', 'integration', 'chaos', 'cases', 'e2e', 'cli', 'bench'];

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => ORDER.indexOf(project.name);
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

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
    // More than a small machine has cores: most specs wait most of their time, for a lease to lapse or for a process to start.
    // Four were quicker by a sixth, and now and then a bound of time was met by the machine and not by the library.
    maxWorkers: 3,
    sequence: { sequencer: QuickFirst },
    // What is waited for comes soon; on a busy machine, later.
    expect: { poll: { timeout: 10_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: { name: 'unit', isolate, include: ['libs/*/src/**/*.spec.ts', 'src/**/*.spec.ts'] },
      },
      {
        extends: true,
        test: { name: 'repository', isolate, include: ['test/repository/**/*.spec.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          isolate,
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
