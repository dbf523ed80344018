import { faultsOf } from './poison-card.js';
import { ask } from './shop.js';

/** The forms on the page by the place of their letter, so that a look at the server leaves what somebody types alone. */
const shown = new Map();

/** Shows the newest dead letters of each queue that has some. */
export async function showLetters(queues) {
  const full = Object.entries(queues).filter(([, { dead }]) => dead > 0);
  const pages = await Promise.all(full.map(([queue]) => ask(`dead-letters?queue=${encodeURIComponent(queue)}`)));
  const wanted = new Map(
    pages.flatMap(({ queue, letters }) => letters.map((letter) => [letter.links.redrive, { queue, letter }])),
  );
  for (const [key, element] of shown) {
    if (!wanted.has(key)) element.remove();
    if (!wanted.has(key)) shown.delete(key);
  }
  const list = section().querySelector('[data-part="list"]');
  for (const [key, { queue, letter }] of [...wanted].reverse()) {
    if (shown.has(key)) continue;
    shown.set(key, formOf(queue, letter));
    list.prepend(shown.get(key));
  }
  const total = pages.reduce((sum, page) => sum + page.count, 0);
  const hidden = total - wanted.size;
  const none = total === 0 ? 'There is none.' : '';
  note('total', hidden > 0 ? `The newest of each queue; ${hidden} more are there.` : none);
}

const section = () => document.getElementById('letters');

function note(part, text) {
  const element = section().querySelector(`[data-part="${part}"]`);
  if (element.textContent !== text) element.textContent = text;
}

function formOf(queue, letter) {
  const element = document.getElementById('letter').content.cloneNode(true).firstElementChild;
  const part = (name) => element.querySelector(`[data-part="${name}"]`);
  part('queue').textContent = queue;
  part('name').textContent = letter.name;
  part('reason').textContent = letter.reason;
  part('when').textContent = new Date(letter.diedAt).toLocaleString('en', { hourCycle: 'h23' });
  const redriven = letter.redriveCount > 0 ? `, redriven before: ${letter.redriveCount}` : '';
  part('history').textContent = `Task ${letter.taskId}, failed attempts: ${letter.failedAttempts}${redriven}.`;
  part('faults').replaceChildren(...faultsOf(letter.error));
  const form = element.querySelector('form');
  form.elements.payload.value = JSON.stringify(letter.payload, undefined, 2) ?? '';
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void act(element, async () => {
      const { value } = form.elements.payload;
      await ask(letter.links.redrive, 'POST', value.trim() === '' ? {} : { payload: JSON.parse(value) });
      return `Redriven: ${letter.name} is back in the queue ${queue}.`;
    });
  });
  part('discard').addEventListener('click', () => {
    if (!confirm(`Discard this dead letter of ${queue} for good? Nobody can read or redrive it afterwards.`)) return;
    void act(element, async () => {
      await ask(letter.links.discard, 'DELETE');
      return `Discarded: ${letter.name} of ${queue}.`;
    });
  });
  return element;
}

/** Does what a button asked for. The letter goes with the next look at the server; what goes wrong is told beside it. */
async function act(element, work) {
  const fault = element.querySelector('[data-part="fault"]');
  const buttons = element.querySelectorAll('button');
  for (const button of buttons) button.disabled = true;
  try {
    const text = await work();
    fault.hidden = true;
    element.hidden = true;
    note('done', text);
    // The button that had the focus is gone.
    section().querySelector('[data-part="done"]').focus();
  } catch (error) {
    fault.textContent = error.message;
    fault.hidden = false;
    for (const button of buttons) button.disabled = false;
  }
}
