import { make } from './shop.js';
import { healthWords, upperFirst } from './words.js';

const CHECKS = [
  { name: 'live', title: 'Liveness', whenWell: () => 'The loops of this process turn. A restart would mend nothing.' },
  { name: 'ready', title: 'Readiness', whenWell: serverWords },
  { name: 'queues', title: 'Queues', whenWell: () => 'Each queue has a worker, and none is too full.' },
];

function serverWords({ server, durability }) {
  return `${upperFirst(server.kind)} ${server.version} answers and accepts writes. ${upperFirst(durability)}.`;
}

/** What the health checks of the server say, by their names. */
export async function readHealth() {
  const answers = await Promise.all(CHECKS.map(async ({ name }) => [name, await look(`health/${name}`)]));
  return Object.fromEntries(answers);
}

/** A failed check has a body too. */
async function look(path) {
  try {
    const { details } = await (await fetch(path)).json();
    return { ...details.tasks };
  } catch {
    return { status: 'down', problems: ['The server does not answer'] };
  }
}

/** Says at the top of the page whether the shop can do its part, and at its end each check in words. */
export function showHealth(health) {
  const { state, tone, reason } = healthWords(health.ready, () => '');
  const pill = document.getElementById('health');
  const text = tone === 'good' ? 'All is well' : `${state}: ${reason}`;
  // Written only when it is new, so that a screen reader does not say it every second.
  if (pill.textContent !== text) pill.textContent = text;
  pill.dataset.tone = tone;
  const rows = CHECKS.map(({ name, title, whenWell }) => checkRow(title, healthWords(health[name], whenWell)));
  document.querySelector('#checks [data-part="rows"]').replaceChildren(...rows);
}

function checkRow(title, { state, tone, reason }) {
  const mark = make('span', { className: 'mark', textContent: state });
  mark.dataset.tone = tone;
  return make(
    'tr',
    {},
    make('th', { scope: 'row', textContent: title }),
    make('td', {}, mark),
    make('td', { textContent: reason }),
  );
}

/** Fills the table of queues. */
export function showQueues({ queues = {} }) {
  const rows = Object.entries(queues).map(([name, { waiting, active, delayed, dead, liveConsumers }]) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row', textContent: name }),
      ...[waiting, active, delayed, dead, liveConsumers].map((number) => make('td', { textContent: number })),
    ),
  );
  document.querySelector('#queues [data-part="rows"]').replaceChildren(...rows);
}
