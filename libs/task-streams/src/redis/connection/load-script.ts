import { createHash } from 'node:crypto';
import { SCRIPT_TEXTS } from './script-texts.js';

/** A script and the name Redis caches it under. */
export interface Script {
  readonly name: string;
  readonly text: string;
  readonly sha: string;
}

const INCLUDE = /^--@include (\w+)$/gm;
const WHOLE_LINE_COMMENT = /^--.*\n/gm;

/** Puts the parts a script includes in their place. */
export function loadScript(name: string): Script {
  const text = expand(textOf(name)).replace(WHOLE_LINE_COMMENT, '');
  return { name, text, sha: createHash('sha1').update(text).digest('hex') };
}

/** A part may include others. */
function expand(text: string): string {
  return text.replace(INCLUDE, (_, part: string) => expand(textOf(`lib/${part}`)));
}

function textOf(name: string): string {
  const text = SCRIPT_TEXTS[name];
  if (text === undefined) throw new Error(`There is no script ${name}.lua`);
  return text;
}
