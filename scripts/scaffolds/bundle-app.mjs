import { createRequire } from 'node:module';
import path from 'node:path';

/** CommonJS that ended up in an ES module asks for `require`, which is not there. */
const banner = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Bundles a built program and everything it imports into one file with esbuild, as somebody would for a function or a small
 * image. What is not installed stays outside: Nest looks for it only where it is used.
 *
 * @param {string} app the project, which has esbuild
 * @param {string} outfile
 * @param {'cjs' | 'esm'} format
 */
export async function bundleApp(app, outfile, format) {
  const { build } = createRequire(path.join(app, 'package.json'))('esbuild');
  await build({
    absWorkingDir: app,
    entryPoints: ['dist/main.js'],
    outfile,
    bundle: true,
    platform: 'node',
    format,
    logLevel: 'error',
    ...(format === 'esm' ? { banner: { js: banner } } : {}),
    plugins: [{ name: 'not-installed', setup: leaveOutWhatIsNotInstalled }],
  });
}

/**
 * The part of esbuild's plugin API that is used here.
 *
 * @typedef {object} PluginBuild
 * @property {(options: { filter: RegExp }, callback: (args: any) => Promise<object | undefined>) => void} onResolve
 * @property {(path: string, options: object) => Promise<{ errors: readonly unknown[] }>} resolve
 */

/** @param {PluginBuild} build */
function leaveOutWhatIsNotInstalled(build) {
  build.onResolve({ filter: /^[^./]/ }, async ({ path: name, pluginData, ...args }) => {
    if (pluginData === 'asked' || args.kind === 'entry-point') return undefined;
    const { kind, importer, namespace, resolveDir } = args;
    const found = await build.resolve(name, { kind, importer, namespace, resolveDir, pluginData: 'asked' });
    return found.errors.length > 0 ? { path: name, external: true } : found;
  });
}
