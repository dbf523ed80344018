import { ask, isFinal, make } from './shop.js';

export async function startPoison(card) {
  card.show('mend', false);
  card.part('faults').replaceChildren();
  const accepted = await ask('notifications/poison', 'POST');
  card.say('Sent.', 'busy');
  // Also after it is dead: somebody may mend it below.
  await card.watch(async () => showPoison(card, await ask(accepted.links.self)));
}

function showPoison(card, { state, error, result }) {
  const isDead = state === 'dead';
  card.show('mend', isDead);
  card.part('faults').replaceChildren(...(isDead ? faultsOf(error) : []));
  if (isDead) card.say('A dead letter after its first attempt.', 'bad');
  else if (state === 'completed') card.say(`Mended, run again, delivered to ${result.to}.`, 'good');
  else card.say(`The task is ${state}.`, 'busy');
  return isFinal(state) && !isDead;
}

/** What is wrong, one line each. */
export function faultsOf(error) {
  const faults = [error?.details ?? error?.message ?? []].flat(2);
  return faults.map((fault) => make('li', { textContent: typeof fault === 'string' ? fault : JSON.stringify(fault) }));
}
