import { Card } from './card.js';
import { resumeExport, showEarlier, startExport } from './export-card.js';
import { readHealth, showHealth, showQueues } from './health.js';
import { showLetters } from './letters.js';
import { healPartner, lookAtPartner, startNotification } from './notify-card.js';
import { startPayment } from './pay-card.js';
import { startPoison } from './poison-card.js';

const POLL_MS = 1000;

const taxes = new Card('export', { start: startExport });
const notify = new Card('notify', { start: startNotification });
notify.part('heal').addEventListener('click', () => void notify.run(() => healPartner(notify)));
const cards = [taxes, new Card('pay', { start: startPayment }), notify, new Card('poison', { start: startPoison })];

async function showShop() {
  const health = await readHealth();
  showHealth(health);
  showQueues(health.ready);
  // What cannot be read now is left as it is, with what somebody types; the top of the page says why.
  if (health.ready.queues) await showLetters(health.ready.queues).catch(() => undefined);
}

/** The next look begins a second after the last one has ended: a slow server is not asked more often than it answers. */
async function poll() {
  // Nobody sees a hidden page.
  if (!document.hidden) {
    await Promise.all([showShop(), lookAtPartner(notify), showEarlier(taxes), ...cards.map((card) => card.look())]);
  }
  setTimeout(() => void poll(), POLL_MS);
}

void resumeExport(taxes);
void poll();
