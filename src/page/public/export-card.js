import { forgetExport, keepExport, keptExports } from './kept-exports.js';
import { ask, isFinal, make, money } from './shop.js';
import { exportWords, fileWords, inFigures } from './words.js';

/** The exports before the newest one, as they were seen last. */
const earlier = new Map();

export async function startExport(card) {
  const begun = performance.now();
  const accepted = await ask('tax-exports', 'POST', { year: 2025, rows: Number(card.form.rows.value) });
  const tookMs = Math.round(performance.now() - begun);
  const { level, confirmedBy } = accepted.durability;
  const confirmation = confirmedBy ? `, confirmed by ${confirmedBy}` : '';
  card.text('accepted', `Accepted in ${tookMs} ms, durability ${level}${confirmation}.`);
  keepExport(accepted.links.self);
  await follow(card, accepted.links.self);
}

/** Goes on with what was there before the page was loaded. */
export async function resumeExport(card) {
  const [newest] = keptExports();
  if (newest === undefined) return;
  card.root.querySelector('.result').hidden = false;
  card.text('accepted', '');
  await follow(card, newest);
}

async function follow(card, path) {
  card.show('download', false);
  await card.watch(async () => {
    const task = await askKept(path);
    if (task) return showExport(card, task);
    card.say('The export has ended and is forgotten by now.');
    return true;
  });
}

/** Undefined for an export that the server knows no more. */
async function askKept(path) {
  try {
    return await ask(path);
  } catch (error) {
    if (error.status !== 404) throw error;
    forgetExport(path);
    return undefined;
  }
}

function showExport(card, task) {
  const { progress, percent, result } = task;
  const isRunning = task.state === 'active' && progress !== undefined;
  card.part('progress').value = percent;
  card.text('progress-text', `${percent} %${isRunning ? ` · ${inFigures(progress.rows)} sales` : ''}`);
  const { text, tone, isSilent } = exportWords(task);
  card.show('hint', isRunning && !isSilent);
  if (isRunning) card.text('kill', `kill -9 ${progress.workerPid}`);
  if (task.state === 'completed') {
    const taken = task.deliveryCount > 1 ? ` Workers that took it: ${task.deliveryCount}.` : '';
    card.say(`Done: ${fileWords(result)}, net ${money(result.netCents)}.${taken}`, 'good');
    card.part('file').href = task.links.file;
    card.show('download', true);
  } else card.say(text, tone);
  return isFinal(task.state);
}

/** Lists the exports before the newest one; those that have ended are not asked for again. */
export async function showEarlier(card) {
  const [, ...paths] = keptExports();
  for (const path of paths) {
    if (isFinal(earlier.get(path)?.state)) continue;
    const task = await askKept(path).catch(() => earlier.get(path));
    if (task) earlier.set(path, task);
  }
  const known = paths.filter((path) => earlier.has(path));
  card.show('earlier', known.length > 0);
  card.part('earlier-list').replaceChildren(...known.map((path) => lineOf(earlier.get(path))));
}

function lineOf({ enqueuedAt, state, percent, result, links }) {
  const at = new Date(enqueuedAt).toLocaleTimeString('en', { hourCycle: 'h23' });
  const rest = links.file
    ? [make('a', { href: links.file, download: '', textContent: fileWords(result) })]
    : [`${percent} %`];
  return make('li', {}, `${at}: ${state}, `, ...rest);
}
