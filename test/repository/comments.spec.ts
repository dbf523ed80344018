import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, readText } from '../support/source-tree.js';

const src = 'libs/task-streams/src';
const scripts = `${src}/redis/scripts`;
const sources = ['libs/task-streams/src', 'libs/task-streams-cli/src'].flatMap((folder) => [
  ...filesBelow(folder, '.ts'),
  ...filesBelow(folder, '.lua'),
]);
const known = new Set(sources.flatMap((file) => [file, path.posix.basename(file)]));

/** A line comment of Lua, and both kinds of TypeScript; a URL is no comment. */
const COMMENTS = { '.lua': /--(?!@).*$/gm, '.ts': /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm };
const FILE_NAME = /(?<![\w./-])(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:lua|ts)\b/g;

/** The files that the comments of a source name. */
function filesNamedBy(source: string): string[] {
  const comments = readText(source).match(COMMENTS[path.extname(source) as '.lua' | '.ts']) ?? [];
  return comments.flatMap((comment) => comment.match(FILE_NAME) ?? []);
}

/** A bare name is that of a file somewhere; a path leads there from beside the source, from the sources or from the scripts. */
function isThere(source: string, name: string): boolean {
  if (name.endsWith('.lua')) return known.has(`${scripts}/${name}`) || known.has(`${src}/redis/${name}`);
  if (!name.includes('/')) return known.has(name);
  return [path.posix.dirname(source), src].some((folder) => known.has(`${folder}/${name}`));
}

describe('the comments of the libraries', () => {
  const named = sources.flatMap((source) => filesNamedBy(source).map((name) => ({ source, name })));

  it('name files', () => {
    expect(named.length).toBeGreaterThan(40);
  });

  it('name no file that is not there', () => {
    expect(named.filter(({ source, name }) => !isThere(source, name))).toEqual([]);
  });
});
