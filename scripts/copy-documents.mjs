// `prepack` and `postpack` of both packages: what people read travels with the code, and leaves no copy behind in the repository.
import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';

const repository = path.resolve(import.meta.dirname, '..');
const pack = process.cwd();

/** The first word says what to do, the others which documents; without any, all of them. */
const [verb, ...documents] = process.argv.slice(2);

rmSync(path.join(pack, 'docs'), { recursive: true, force: true });
rmSync(path.join(pack, 'CHANGELOG.md'), { force: true });
if (verb === 'add') {
  cpSync(path.join(repository, 'CHANGELOG.md'), path.join(pack, 'CHANGELOG.md'));
  for (const document of documents.length === 0 ? [''] : documents) copy(document);
}

/** @param {string} name below `docs` */
function copy(name) {
  const source = path.join(repository, 'docs', name);
  if (!existsSync(source)) throw new Error(`There is no docs/${name} to pack.`);
  cpSync(source, path.join(pack, 'docs', name), { recursive: true });
}
