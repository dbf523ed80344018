import { ask, isFinal, money } from './shop.js';

const count = new Intl.NumberFormat('en');

export async function startExport(card) {
  card.show('download', false);
  const begun = performance.now();
  const accepted = await ask('tax-exports', 'POST', { year: 2025, rows: Number(card.form.rows.value) });
  const tookMs = Math.round(performance.now() - begun);
  const { level, confirmedBy } = accepted.durability;
  const confirmation = confirmedBy ? `, confirmed by ${confirmedBy}` : '';
  card.text('accepted', `Accepted in ${tookMs} ms, durability ${level}${confirmation}.`);
  await card.watch(async () => showExport(card, await ask(accepted.links.self)));
}

function showExport(card, task) {
  const { progress, percent, result, deliveryCount } = task;
  const isRunning = task.state === 'active' && progress !== undefined;
  card.part('progress').value = percent;
  card.text('progress-text', `${percent} %${isRunning ? ` · ${count.format(progress.rows)} sales` : ''}`);
  card.show('hint', isRunning);
  if (isRunning) card.text('kill', `kill -9 ${progress.workerPid}`);
  const isTakenOver = deliveryCount > 1 ? ` Workers that took it: ${deliveryCount}.` : '';
  if (task.state === 'completed') {
    const size = `${count.format(Math.round(result.bytes / 1_000_000))} MB`;
    card.say(`Done: ${count.format(result.rows)} sales, net ${money(result.netCents)}, ${size}.${isTakenOver}`, 'good');
    card.part('file').href = task.links.file;
    card.show('download', true);
  } else if (task.state === 'dead') card.say(`Given up: ${task.error.message}`, 'bad');
  else card.say((isRunning ? 'A worker writes the report.' : `The report is ${task.state}.`) + isTakenOver, 'busy');
  return isFinal(task.state);
}
