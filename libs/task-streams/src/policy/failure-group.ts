import { createHash } from 'node:crypto';
import type { ErrorDescription } from '../task/error-description.js';

/** What failures have in common that are one failure to people. */
export interface FailureTraits {
  /** Empty where the entry had no name. */
  readonly task: string;
  readonly errorName: string;
  /** The message with placeholders for what differs from task to task. */
  readonly message: string;
  /** The function and the file that threw, without line numbers, which change with every deploy; or empty. */
  readonly frame: string;
}

const MAX_MESSAGE = 300;
const MAX_FRAME = 200;
const FINGERPRINT_LENGTH = 16;

/** From the widest to the narrowest: what one of them took, the next ones do not see. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'`<>)\]]+/gi, '<url>'],
  [/(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu, '<mail>'],
  // Not \b: an id often follows an underscore, as in order_7c9e….
  [/(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/gi, '<uuid>'],
  [/\\?"[^"]*"|`[^`]*`|“[^”]*”|„[^“”]*[“”]|«[^»]*»/g, '<text>'],
  [/(?<!\w)‘[^’]*’(?!\w)/g, '<text>'],
  // An apostrophe inside a word (can't) opens no quotation.
  [/(?<!\w)'[^']*'(?!\w)/g, '<text>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{6,}\b/gi, '<hex>'],
  [/\d+(?:[.,:]\d+)*/g, '<n>'],
  [/\s+/g, ' '],
];

/** A message with placeholders for URLs, mail addresses, uuids, quoted text, hexadecimal and other numbers. */
export function normaliseMessage(message: string): string {
  const text = PLACEHOLDERS.reduce((result, [pattern, placeholder]) => result.replace(pattern, placeholder), message);
  return text.trim().slice(0, MAX_MESSAGE).toWellFormed();
}

/** The first frame of a stack that is neither Node's nor of a package: function and file, without line and column. */
export function topFrame(stack: string | undefined): string {
  for (const line of (stack ?? '').split('\n')) {
    const frame = /^\s+at (?:async )?(?:(.*) \()?(.*?)(?::\d+)?(?::\d+)?\)?$/.exec(line);
    const [, name = '', file = ''] = frame ?? [];
    if (!frame || /^node:|^native$|^<anonymous>$|[\\/]node_modules[\\/]/.test(file)) continue;
    return `${name} ${file.split(/[\\/]/).slice(-2).join('/')}`.trim().slice(0, MAX_FRAME).toWellFormed();
  }
  return '';
}

/** What is compared of a failure. */
export function traitsOf(task: string, error: ErrorDescription | undefined): FailureTraits {
  return {
    task,
    errorName: error?.name ?? '',
    message: normaliseMessage(error?.message ?? ''),
    frame: topFrame(error?.stack),
  };
}

/** 16 hexadecimal characters; the same for failures that have the same traits. `bury` in lib/tombstone.lua computes it too. */
export function fingerprintOf({ task, errorName, message, frame }: FailureTraits): string {
  const text = [task, errorName, message, frame].join('\n');
  return createHash('sha1').update(text).digest('hex').slice(0, FINGERPRINT_LENGTH);
}
