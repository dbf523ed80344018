import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheDir, root } from '../lib/paths.mjs';
import { capture, runNpm } from '../lib/run-command.mjs';

const parts = path.join(root, 'test/scaffolds');
const sources = path.join(parts, 'app');

/**
 * Writes a program with tasks and its tests into a project, in place of what `nest new` put there.
 *
 * @param {string} app
 * @param {boolean} isCommonJs
 */
export async function writeProgram(app, isCommonJs) {
  for (const name of ['dist', 'src', 'test/app.e2e-spec.ts'])
    await rm(path.join(app, name), { recursive: true, force: true });
  const entries = await readdir(sources, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((file) => file.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    const target = path.join(app, path.relative(sources, file));
    const text = await readFile(file, 'utf8');
    await mkdir(path.dirname(target), { recursive: true });
    // Jest looks for the file that is named, and there is no .js beside the sources.
    await writeFile(target, isCommonJs ? text.replace(/(from '\..*)\.js';/g, "$1';") : text);
  }
}

/**
 * Packs the library as it would be published, and puts it among the packages of projects; once more below a package that
 * has a copy of its own.
 *
 * @param {readonly string[]} apps
 */
export async function installLibrary(apps) {
  const dir = await mkdtemp(path.join(cacheDir, 'pack-'));
  try {
    const code = await runNpm(['pack', '--silent', '--pack-destination', dir], path.join(root, 'libs/task-streams'));
    const archive = (await readdir(dir)).find((file) => file.endsWith('.tgz'));
    if (code !== 0 || !archive) throw new Error(`npm pack failed with exit code ${code}: see its output above.`);
    for (const app of apps) {
      const shared = path.join(app, 'node_modules/scaffold-shared');
      await rm(shared, { recursive: true, force: true });
      await cp(path.join(parts, 'shared'), shared, { recursive: true });
      for (const place of [app, shared]) {
        await unpack(path.join(dir, archive), path.join(place, 'node_modules/nestjs-task-streams'));
      }
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * @param {string} archive
 * @param {string} target
 */
async function unpack(archive, target) {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const { code, stderr } = await capture('tar', ['-xzf', archive, '--strip-components=1', '-C', target]);
  if (code !== 0) throw new Error(`tar cannot unpack ${archive}: ${stderr}`);
}
