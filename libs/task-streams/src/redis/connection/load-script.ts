import { createHash } from 'node:crypto';
import { SCRIPT_TEXTS } from '../script-texts.js';

/** A script and the name Redis caches it under. */
export interface Script {
  readonly name: string;
  readonly text: string;
  readonly sha: string;
}

const INCLUDE = /^--@include (\w+)$/;
const WHOLE_LINE_COMMENT = /^--.*\n/gm;
/** Functions of several lines are written so that only their first and last line begin at the margin. */
const OPENS_FUNCTION = /^(local )?function (?!.*\bend$)/;
const CLOSES_FUNCTION = 'end';

/**
 * Puts the parts a script includes in their place. A part names what it needs by includes of its own; what is in scope already
 * is not put there again. An include inside a function is in scope until its end, so that a call that does not need it does
 * not pay for it.
 */
export function loadScript(name: string): Script {
  const text = expand(textOf(name), [new Set()]).replace(WHOLE_LINE_COMMENT, '');
  return { name, text, sha: createHash('sha1').update(text).digest('hex') };
}

/** @param scopes The parts that the script has, and those of each function that is open, the innermost last. */
function expand(text: string, scopes: Set<string>[]): string {
  const lines = text.split('\n').flatMap((line) => {
    const [, part] = INCLUDE.exec(line) ?? [];
    if (OPENS_FUNCTION.test(line)) scopes.push(new Set());
    else if (line === CLOSES_FUNCTION && scopes.length > 1) scopes.pop();
    if (part === undefined) return line;
    if (scopes.some((scope) => scope.has(part))) return [];
    scopes.at(-1)?.add(part);
    return expand(textOf(`lib/${part}`), scopes).trimEnd();
  });
  return lines.join('\n');
}

function textOf(name: string): string {
  const text = SCRIPT_TEXTS[name];
  if (text === undefined) throw new Error(`There is no script ${name}.lua`);
  return text;
}
