import path from 'node:path';

/** What Nest and its kind load only where a program uses it, and none of ours that is bundled does. */
const notUsed = /^(@grpc|@nats-io|@nestjs\/(terminus|websockets)|amqp|class-|kafkajs|mqtt|prom-client|@opentelemetry)/;

/**
 * Writes a program and all that it imports as one file, `main.js`, which starts several times as fast as one that reads the
 * hundreds of files of Nest.
 *
 * @param {{ main: string, outDir: string }} options
 * @returns {Promise<string[]>} the files that are in it
 */
export async function bundleProgram({ main, outDir }) {
  const { build } = await import('vite');
  /** @type {string[]} */
  let files = [];
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
        plugins: [{ name: 'list-of-files', generateBundle: (_, bundle) => void (files = filesOf(bundle)) }],
      },
    },
  });
  return files;
}

/** @param {Readonly<Record<string, { readonly type: string, readonly moduleIds?: readonly string[] }>>} bundle */
function filesOf(bundle) {
  return Object.values(bundle).flatMap((output) => output.moduleIds ?? []);
}
