import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { imageFiles } from '../../scripts/image/image-files.mjs';
import { copiesOf } from '../../scripts/image/read-dockerfile.mjs';
import { readIgnore } from '../../scripts/image/read-ignore.mjs';
import { readText } from '../support/source-tree.js';

const { stages, copied, missing } = imageFiles();
const manifest = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };

/** The commands behind each `npm run` of the Dockerfile. */
const commands = stages
  .flatMap(({ steps }) => steps.filter(({ kind }) => kind === 'RUN'))
  .flatMap(({ text }) => [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => manifest.scripts[name] ?? name))
  .flatMap((script) => script.split('&&').map((command) => command.trim()));

describe('the image of the sample app', () => {
  it('finds all that COPY names in the build context', () => {
    expect(missing).toEqual([]);
    expect(copied.get('package.json')).toBe('package.json');
    expect([...copied.keys()].filter((file) => file.endsWith('.spec.ts'))).toEqual([]);
  });

  it('has every script that its build runs, with all that it imports', () => {
    const scripts = commands.flatMap((command) => /^node (\S+)/.exec(command)?.[1] ?? []);
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.flatMap((script) => absent(script))).toEqual([]);
  });

  it('has every file that its sources import', () => {
    const sources = [...copied.keys()].filter((file) => /^(src|libs\/[^/]+\/src)\/.*\.ts$/.test(file));
    expect(sources.length).toBeGreaterThan(200);
    expect(sources.flatMap((file) => localImports(file)).filter((file) => !copied.has(file))).toEqual([]);
  });

  it('has every configuration that its build reads', () => {
    const { projects } = JSON.parse(readText('nest-cli.json')) as {
      projects: Record<string, { compilerOptions: { tsConfigPath: string } }>;
    };
    const configs = Object.values(projects).map(({ compilerOptions }) => compilerOptions.tsConfigPath);
    expect([...configs, 'nest-cli.json', 'tsconfig.json'].filter((file) => !copied.has(file))).toEqual([]);
  });

  it('copies from stages that there are', () => {
    const names = stages.map(({ name }) => name);
    const wanted = stages.flatMap(copiesOf).flatMap(({ from }) => from ?? []);
    expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('stands, like every image beside it, on a version that does not move', () => {
    const composed = [...readText('docker-compose.yml').matchAll(/^ +image: (\S+:\S+)$/gm)].map(([, image]) => image);
    const images = [...stages.map(({ image }) => image), ...composed];
    expect(images.length).toBeGreaterThan(3);
    expect(images.filter((image) => !/:v?\d+\.\d+\.\d+(-|$)/.test(image ?? ''))).toEqual([]);
  });
});

describe('.dockerignore as Docker reads it', () => {
  it.each([
    ['src/main.ts', true],
    ['src/main.spec.ts', false],
    ['libs/a/dist/index.js', false],
    ['docs/usage.md', false],
    ['package.json', true],
  ])('says of %s: %s', (file, isTaken) => {
    expect(readIgnore('# all\n*\n!src\n!libs\n!package.json\n**/*.spec.ts\n**/dist\n')(file)).toBe(isTaken);
  });
});

/** A script and what it imports, as far as the image does not have them. */
function absent(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  if (!copied.has(file)) return [file];
  return localImports(file).flatMap((next) => absent(next, seen));
}

/** Read by pattern: a parser takes seconds for all sources. */
function localImports(file: string): string[] {
  return [...readText(file).matchAll(/\b(?:from|import)[ (]'(\.[^']+)'/g)]
    .map(([, specifier = '']) => path.posix.join(path.posix.dirname(file), specifier))
    .map((target) => (file.endsWith('.ts') ? target.replace(/\.js$/, '.ts') : target));
}
