import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { SCRIPT_TEXTS } from '../../libs/task-streams/src/redis/script-texts.js';
import { root } from '../support/source-tree.js';

const folder = path.join(root, 'libs/task-streams');
const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly typesVersions: { readonly '*': Readonly<Record<string, readonly string[]>> };
};
const entries = ['', '/admin', '/health', '/otel', '/prometheus'].map((name) => `nestjs-task-streams${name}`);

/** A program without the aliases of this project: both formats in one process. */
const program = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const names = {};
for (const entry of ${JSON.stringify(entries)}) {
  const [esm, cjs] = [await import(entry), require(entry)];
  const types = Object.keys(esm).filter((name) => esm[name] === Object);
  names[entry] = { esm: Object.keys(esm).filter((name) => !types.includes(name)).sort(), cjs: Object.keys(cjs).sort(), types };
}
const [esm, cjs] = [await import('nestjs-task-streams'), require('nestjs-task-streams')];
const error = new cjs.UnrecoverableError('no');
console.log(JSON.stringify({ names, isTwo: esm.TaskClient !== cjs.TaskClient, isKnown: error instanceof esm.UnrecoverableError }));
`;

interface Seen {
  readonly names: Readonly<Record<string, { esm: string[]; cjs: string[]; types: string[] }>>;
  readonly isTwo: boolean;
  readonly isKnown: boolean;
}

describe('the package', () => {
  let seen: Seen;

  beforeAll(async () => {
    const args = ['--no-warnings', '--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    seen = JSON.parse(stdout) as Seen;
  });

  it.each(entries)('exports the same from %s as ES module and as CommonJS', (entry) => {
    const { esm, cjs } = seen.names[entry] ?? { esm: [], cjs: ['nothing'] };
    expect(cjs).toEqual(esm);
  });

  it('has values for types, which SWC imports from decorated signatures', () => {
    expect(seen.names['nestjs-task-streams']?.types).toEqual(
      expect.arrayContaining(['DeadLetterContext', 'TaskEvent', 'TaskEventOf', 'TaskRef']),
    );
  });

  it('knows its errors whichever way it was loaded', () => {
    expect(seen).toMatchObject({ isTwo: true, isKnown: true });
  });

  it('names only files that exist', () => {
    const files = [...JSON.stringify([manifest.exports, manifest.typesVersions]).matchAll(/"(\.\/[^"]+\.[a-z]+)"/g)];
    const paths = files.map(([, file = '']) => file).filter((file) => file !== './package.json');
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((file) => !existsSync(path.join(folder, file)))).toEqual([]);
  });

  it.each(['esm', 'cjs'])('has every Lua script in its code: %s', (format) => {
    const shared = path.join(folder, 'dist', format, 'shared');
    const code = readFolder(shared);
    for (const text of Object.values(SCRIPT_TEXTS)) expect(code).toContain(JSON.stringify(text));
    expect(code).not.toMatch(/import\.meta|readFileSync/);
  });
});

function readFolder(dir: string): string {
  return readdirSync(dir)
    .map((file) => readFileSync(path.join(dir, file), 'utf8'))
    .join('\n');
}
