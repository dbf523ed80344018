import { inspect } from 'node:util';
import type { ErrorClass } from '../task/error-class.js';
import { MESSAGE_BOUNDS, isWithin } from '../task/limits.js';

type FinalReason = Extract<ErrorClass, { kind: 'final' }>['reason'];

const FINAL_REASONS: Readonly<Record<FinalReason, true>> = {
  'non-retryable': true,
  validation: true,
  denied: true,
  'idempotency-conflict': true,
  duplicate: true,
  requested: true,
};
/** The most characters of an answer that are shown. */
const MAX_SHOWN = 200;

/**
 * The answer of a classifier, with its delay in whole milliseconds.
 *
 * @throws TypeError for anything that is no error class, with the answer.
 */
export function checkErrorClass(answer: unknown): ErrorClass {
  if (answer instanceof Promise) answer.catch(() => undefined);
  const { kind, delayMs, reason } = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<
    string,
    unknown
  >;
  switch (kind) {
    case 'retryable':
    case 'timeout':
      return { kind };
    case 'defer':
      if (isWithin(MESSAGE_BOUNDS.delayMs, delayMs)) return { kind, delayMs: Math.ceil(delayMs) };
      break;
    case 'final':
      if (typeof reason === 'string' && Object.hasOwn(FINAL_REASONS, reason)) return answer as ErrorClass;
      break;
    default:
  }
  const shown = inspect(answer, { depth: 1, breakLength: Infinity }).slice(0, MAX_SHOWN);
  throw new TypeError(`it answered ${shown}, which is no error class`);
}
