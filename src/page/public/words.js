// What the page says, apart from where it says it.

/** A living worker tells more often than this, also on a busy machine. */
const SILENT_MS = 4000;

const count = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });

/**
 * Where an export is, as a sentence and its tone.
 *
 * @param {{ state: string, progress?: { workerPid: number }, silentMs?: number, deliveryCount: number, error?: { message: string } }} task
 * @param {number} now
 */
export function exportWords({ state, progress, silentMs, deliveryCount, error }, now = Date.now()) {
  const taken = deliveryCount > 1 ? ` Workers that took it: ${deliveryCount}.` : '';
  if (state === 'dead') return { text: `Given up: ${error?.message}${taken}`, tone: 'bad' };
  if (state !== 'active' || !progress) return { text: `The report is ${state}.${taken}`, tone: 'busy' };
  if (silentMs === undefined || silentMs < SILENT_MS)
    return { text: `A worker writes the report.${taken}`, tone: 'busy' };
  const since = clock.format(now - silentMs);
  const text = `Worker ${progress.workerPid} has not been heard of since ${since}. When its lease has expired, another worker reclaims the report.`;
  return { text: text + taken, tone: 'bad', isSilent: true };
}

/** @param {{ bytes: number, rows: number }} result */
export function fileWords({ bytes, rows }) {
  return `${count.format(rows)} sales, ${count.format(Math.round(bytes / 1_000_000))} MB`;
}

/** @param {number} number */
export const inFigures = (number) => count.format(number);

const STATES = { up: 'Well', degraded: 'Look at it', down: 'Down' };
const TONES = { up: 'good', degraded: 'busy', down: 'bad' };

/**
 * The state of an indicator and why, for people.
 *
 * @template {{ status: 'up' | 'degraded' | 'down', condition?: 'degraded', problems?: readonly string[] }} T
 * @param {T} indicator
 * @param {(indicator: T) => string} whenWell
 */
export function healthWords(indicator, whenWell) {
  const { status, condition, problems = [] } = indicator;
  const state = condition ?? status;
  const reason = problems.length > 0 ? problems.map(asSentence).join(' ') : whenWell(indicator);
  return { state: STATES[state], tone: TONES[state], reason };
}

/** @param {string} text */
export const upperFirst = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** @param {string} text */
const asSentence = (text) => `${upperFirst(text).replace(/\.$/, '')}.`;
