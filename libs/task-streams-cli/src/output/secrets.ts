import { redact, REDACTED_BY_DEFAULT } from 'nestjs-task-streams/admin';

/** A value with the values of secret members replaced, unless they are wanted. */
export function hideSecrets(value: unknown, isRevealed: boolean): unknown {
  return isRevealed ? value : redact(value, REDACTED_BY_DEFAULT);
}

/** A payload, laid out; text that is no JSON as it is. Undefined where there is none. */
export function showPayload(body: string | undefined, isRevealed: boolean): string | undefined {
  if (body === undefined) return undefined;
  const value = parse(body);
  return value === undefined ? body : JSON.stringify(hideSecrets(value, isRevealed), undefined, 2);
}

/** A payload as a value: parsed JSON, or text that is none. */
export function payloadValue(body: string | undefined, isRevealed: boolean): unknown {
  if (body === undefined) return undefined;
  const value = parse(body);
  return value === undefined ? body : hideSecrets(value, isRevealed);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
