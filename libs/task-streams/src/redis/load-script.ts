import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A script and the name Redis caches it under. */
export interface Script {
  readonly name: string;
  readonly text: string;
  readonly sha: string;
}

const FOLDER = new URL('./scripts/', import.meta.url);
const INCLUDE = /^--@include (\w+)$/gm;
const WHOLE_LINE_COMMENT = /^--.*\n/gm;

/** Reads a script of this folder and puts the parts it includes in their place. */
export function loadScript(name: string): Script {
  const text = expand(read(`${name}.lua`)).replace(WHOLE_LINE_COMMENT, '');
  return { name, text, sha: createHash('sha1').update(text).digest('hex') };
}

/** A part may include others. */
function expand(text: string): string {
  return text.replace(INCLUDE, (_, part: string) => expand(read(`lib/${part}.lua`)));
}

function read(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8');
}
