import { ask, isFinal } from './shop.js';

export async function startPoison(card) {
  card.show('mend', false);
  card.part('faults').replaceChildren();
  const accepted = await ask('notifications/poison', 'POST');
  card.say('Sent.', 'busy');
  await card.watch(async () => {
    const { id, state } = await ask(accepted.links.self);
    if (state !== 'dead') return false;
    showLetter(card, await findLetter(id));
    return true;
  });
}

async function findLetter(taskId) {
  let cursor;
  do {
    const page = await ask(`dead-letters?queue=notifications${cursor ? `&cursor=${cursor}` : ''}`);
    const letter = page.letters.find((one) => one.taskId === taskId);
    if (letter) return letter;
    cursor = page.cursor;
  } while (cursor);
  throw new Error('The dead letter is not listed yet.');
}

function showLetter(card, letter) {
  card.letter = letter;
  card.say(`Set aside at once: ${letter.reason}.`, 'bad');
  const faults = [letter.error?.details ?? letter.error?.message].flat(2);
  const lines = faults.map((fault) => (typeof fault === 'string' ? fault : JSON.stringify(fault)));
  card
    .part('faults')
    .replaceChildren(...lines.map((line) => Object.assign(document.createElement('li'), { textContent: line })));
  const mend = card.part('mend');
  mend.elements.payload.value = JSON.stringify(letter.payload, undefined, 2);
  card.show('mend-error', false);
  card.show('mend', true);
}

/** Sends the letter back with what the text box holds. */
export async function redrive(card) {
  const { payload } = card.part('mend').elements;
  try {
    const { links } = await ask(card.letter.links.redrive, 'POST', { payload: JSON.parse(payload.value) });
    card.show('mend', false);
    card.part('faults').replaceChildren();
    await card.watch(async () => {
      const task = await ask(links.self);
      if (task.state === 'completed') card.say(`Mended, run again, delivered to ${task.result.to}.`, 'good');
      else if (task.state === 'dead') showLetter(card, await findLetter(task.id));
      else card.say(`Redriven: ${task.state}.`, 'busy');
      return isFinal(task.state);
    });
  } catch (error) {
    card.text('mend-error', error.message);
    card.show('mend-error', true);
  }
}
