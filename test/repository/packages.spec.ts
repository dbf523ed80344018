import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../scripts/lib/run-command.mjs';
import { readText, root } from '../support/source-tree.js';

const PACKED_MS = 120_000;
const packages = ['task-streams', 'task-streams-cli'];

/** A copy, so that no other test and no other pack sees the documents come and go. */
const copy = mkdtempSync(path.join(tmpdir(), 'nestjs-task-streams-packages-'));
const contents = new Map<string, readonly string[]>();

beforeAll(async () => {
  for (const part of ['CHANGELOG.md', 'docs', 'scripts/copy-documents.mjs', ...packages.flatMap(shortFiles)]) {
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
  }
  await Promise.all(packages.map(async (name) => contents.set(name, await pack(name))));
}, PACKED_MS);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe.each(packages)('the package of %s', (name) => {
  const read = (file: string) => readText(path.posix.join('libs', name, file));

  it('has a README, a licence, the changelog and documents', () => {
    expect(contents.get(name)).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md', 'docs/cli.md']));
  });

  it('has every file that its README leads to', () => {
    const links = [...read('README.md').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !contents.get(name)?.includes(link))).toEqual([]);
  });

  it('says whose it is and under which licence, and makes up no address', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;
    expect(manifest).toMatchObject({ author: expect.any(String), license: 'MIT', description: expect.any(String) });
    for (const field of ['repository', 'homepage', 'bugs'])
      expect(JSON.stringify(manifest[field] ?? '')).not.toMatch(/example/);
  });
});

describe('the documents in the package of task-streams', () => {
  it('lead to documents that are there too', () => {
    const packed = contents.get('task-streams') ?? [];
    const broken = packed
      .filter((file) => file.endsWith('.md') && file.startsWith('docs/'))
      .flatMap((file) => linksOf(file).filter((target) => !packed.includes(target)));
    expect(broken).toEqual([]);
  });
});

/** What a package has without its code. */
function shortFiles(name: string): string[] {
  return ['LICENSE', 'README.md', 'package.json'].map((file) => path.posix.join('libs', name, file));
}

async function pack(name: string): Promise<readonly string[]> {
  const args = ['pack', '--json', '--silent', '--offline', '--pack-destination', copy];
  const { code, stdout, stderr } = await capture('npm', args, {
    cwd: path.join(copy, 'libs', name),
    timeoutMs: PACKED_MS,
  });
  if (code !== 0) throw new Error(`npm pack failed with exit code ${code}: ${stdout}${stderr}`);
  const [packed] = JSON.parse(stdout) as readonly { files: readonly { path: string }[] }[];
  return packed?.files.map((file) => file.path) ?? [];
}

/** Where the links of a document lead, as paths in the package; those that leave `docs` are for the repository. */
function linksOf(file: string): string[] {
  return [...readText(file).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
    .map(([, link = '']) => path.posix.join(path.posix.dirname(file), link))
    .filter((target) => target.startsWith('docs/'));
}
