import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** What Nest loads only where a program uses it, and a worker does not. */
const notUsed = /^(@grpc|@nats-io|@nestjs\/(terminus|websockets)|amqp|class-|kafkajs|mqtt|prom-client|@opentelemetry)/;

/**
 * Writes a worker and all that it imports as one file, which starts in a quarter of the time: most of what a long run
 * with thousands of killed workers would do is to read the files of Nest. It lies where the library has its `dist/redis`,
 * so that the scripts are found.
 *
 * @param {string} main
 * @param {string} target folder of the bundle
 */
export async function bundleWorker(main, target) {
  const { build } = await import('vite');
  const library = path.dirname(createRequire(main).resolve('nestjs-task-streams/package.json'));
  const outDir = path.join(target, 'dist/redis');
  await build({
    configFile: false,
    logLevel: 'error',
    root: path.dirname(main),
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: main,
      outDir,
      minify: false,
      target: 'node20',
      copyPublicDir: false,
      rolldownOptions: {
        external: notUsed,
        // Names of classes are in messages and in the stacks of errors.
        output: { entryFileNames: 'main.js', codeSplitting: false, keepNames: true },
      },
    },
  });
  await cp(path.join(library, 'dist/redis/scripts'), path.join(outDir, 'scripts'), { recursive: true });
  await cp(path.join(library, 'package.json'), path.join(target, 'package.json'));
}
