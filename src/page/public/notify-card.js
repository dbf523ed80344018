import { ask, isFinal } from './shop.js';

export async function startNotification(card) {
  card.part('attempts').replaceChildren();
  card.text('next', '');
  showPartner(card, await ask('partner/mode', 'POST', { mode: 'down' }));
  const message = { to: 'ana@example.com', message: 'Your order is on its way.' };
  const accepted = await ask('notifications', 'POST', message);
  await card.watch(async () => showNotification(card, await ask(accepted.links.self)));
}

function showPartner(card, { mode }) {
  card.text('mode', mode);
  card.part('heal').disabled = mode === 'up';
}

function showNotification(card, task) {
  const { state, failedAttempts, error, nextAttemptAt } = task;
  if (error) noteFailure(card.part('attempts'), task);
  const waitsMs = state === 'retrying' && nextAttemptAt ? Date.parse(nextAttemptAt) - Date.now() : undefined;
  const next = waitsMs > 500 ? `Next try in ${(waitsMs / 1000).toFixed(0)} s.` : 'Next try any moment.';
  card.text('next', waitsMs === undefined ? '' : next);
  if (state === 'completed') card.say(`Delivered at attempt ${task.result.attempt}.`, 'good');
  else if (state === 'dead') card.say('Given up: it is with the dead letters now.', 'bad');
  else card.say(failedAttempts > 0 ? `${failedAttempts} failed so far; it goes on.` : 'On its way.', 'busy');
  return isFinal(state);
}

/** Shows how the partner feels, also when another page made it sick. */
export async function lookAtPartner(card) {
  try {
    showPartner(card, await ask('partner/mode'));
  } catch {
    card.text('mode', 'out of sight');
  }
}

export async function healPartner(card) {
  showPartner(card, await ask('partner/mode', 'POST', { mode: 'up' }));
}

/** Adds the newest failure to the list, with the wait that came of it. */
function noteFailure(list, { failedAttempts, error, startedAt, nextAttemptAt }) {
  if (failedAttempts <= (list.lastElementChild?.value ?? 0)) return;
  const waitMs = Date.parse(nextAttemptAt) - Date.parse(startedAt);
  const wait = waitMs > 0 ? `, waits ${(waitMs / 1000).toFixed(1)} s` : '';
  const line = document.createElement('li');
  line.value = failedAttempts;
  line.textContent = `${error.message}${wait}`;
  list.append(line);
}
