import type { DeadLetterPage } from 'nestjs-task-streams';
import { showBlock, showDetails } from './output/details.js';
import { showAgo, showSpan, showTime } from './output/format.js';
import type { Output } from './output/output.js';
import { hideSecrets, payloadValue, showPayload } from './output/secrets.js';

type Letter = DeadLetterPage['letters'][number];

/** A letter for a program: its payload as a value, and its bytes only where secrets may be seen. */
export function letterJson(letter: Letter, isRevealed: boolean): object {
  const { body, bodyBase64, headers, error, history, redrives, ...plain } = letter;
  return {
    ...plain,
    headers: hideSecrets(headers, isRevealed),
    error: hideSecrets(error, isRevealed),
    history: hideSecrets(history, isRevealed),
    redrives: redrives.map(({ originalBody, ...redrive }) => ({
      ...redrive,
      ...(originalBody === undefined ? {} : { originalPayload: payloadValue(originalBody, isRevealed) }),
    })),
    payload: payloadValue(body, isRevealed),
    ...(isRevealed ? { body, bodyBase64 } : {}),
  };
}

/** A letter for a person. */
export async function showLetter(out: Output, letter: Letter, isRevealed: boolean): Promise<void> {
  await showDetails(out, [
    ['letter', letter.entryId],
    ['task', letter.name],
    ['task id', letter.taskId],
    ['queue', letter.queue],
    ['reason', letter.reason],
    ['group', letter.group ?? letter.fingerprint],
    ['died', `${showTime(letter.at)} (${showAgo(letter.at)})`],
    ['first failed', letter.firstFailedAt && showTime(letter.firstFailedAt)],
    ['failed attempts', letter.failedAttempts],
    ['deliveries', letter.deliveryCount],
    ['worker', letter.worker],
    ['key', letter.idempotencyKey],
    ['trace', letter.traceId],
    ['came back', letter.redriveCount],
  ]);
  const headers = hideSecrets(letter.headers, isRevealed) as Letter['headers'];
  if (Object.keys(headers).length > 0) await showBlock(out, 'headers', JSON.stringify(headers, undefined, 2));
  const payload = showPayload(letter.body, isRevealed);
  await showBlock(out, 'payload', payload ?? '(it is gone)');
  if (letter.error) await showBlock(out, 'error', errorText(letter, isRevealed));
  await showHistory(out, letter);
}

function errorText({ error }: Letter, isRevealed: boolean): string {
  if (error === undefined) return '';
  const { name, message, stack, details } = error;
  const more = details === undefined ? '' : `\n${JSON.stringify(hideSecrets(details, isRevealed), undefined, 2)}`;
  return `${stack ?? `${name}: ${message}`}${more}`;
}

async function showHistory(out: Output, { history, redrives }: Letter): Promise<void> {
  const attempts = history.map(
    ({ attempt, at, durationMs, worker, error }) =>
      `${showTime(at)}  attempt ${attempt}, ${showSpan(durationMs)}, ${worker}: ${error.name}: ${oneLine(error.message)}`,
  );
  if (attempts.length > 0) await showBlock(out, 'attempts', attempts.join('\n'));
  const backs = redrives.map(
    ({ at, actor, reason, isEdited }) =>
      `${showTime(at)}  by ${actor ?? 'somebody'} after ${reason}${isEdited ? ', with another payload' : ''}`,
  );
  if (backs.length > 0) await showBlock(out, 'came back', backs.join('\n'));
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ');
}
