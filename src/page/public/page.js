import { Card } from './card.js';
import { startExport } from './export-card.js';
import { healPartner, lookAtPartner, startNotification } from './notify-card.js';
import { showOverview } from './overview.js';
import { startPayment } from './pay-card.js';
import { redrive, startPoison } from './poison-card.js';

const POLL_MS = 1000;

const notify = new Card('notify', { start: startNotification });
notify.part('heal').addEventListener('click', () => void notify.run(() => healPartner(notify)));
const poison = new Card('poison', { start: startPoison });
poison.part('mend').addEventListener('submit', (event) => {
  event.preventDefault();
  void redrive(poison);
});
const cards = [new Card('export', { start: startExport }), new Card('pay', { start: startPayment }), notify, poison];

/** The next look begins a second after the last one has ended: a slow server is not asked more often than it answers. */
async function poll() {
  // Nobody sees a hidden page.
  if (!document.hidden) await Promise.all([showOverview(), lookAtPartner(notify), ...cards.map((card) => card.look())]);
  setTimeout(() => void poll(), POLL_MS);
}

void poll();
