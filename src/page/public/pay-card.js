import { ask, isFinal, money } from './shop.js';

export async function startPayment(card) {
  const debit = { transactionId: crypto.randomUUID(), accountId: 'demo', amountCents: 1999 };
  card.text('transaction', debit.transactionId);
  const before = await ask('payments/accounts/demo');
  const send = () => ask('payments/debits', 'POST', debit);
  const tasks = await Promise.all([send(), send()]);
  await card.watch(async () => {
    const [first, second] = await Promise.all(tasks.map((task) => ask(task.links.self)));
    showDebit(card, 1, first);
    showDebit(card, 2, second);
    if (!isFinal(first.state) || !isFinal(second.state)) return card.say(waitingText(first, second), 'busy');
    const after = await ask('payments/accounts/demo');
    const debits = after.debitCount - before.debitCount;
    const balance = `Balance before ${money(before.balanceCents)}, now ${money(after.balanceCents)}.`;
    card.say(`Two tasks, ${debits === 1 ? 'one debit' : `${debits} debits`}. ${balance}`, debits <= 1 ? 'good' : 'bad');
    return true;
  });
}

function showDebit(card, number, task) {
  card.text(`state-${number}`, task.state);
  const { outcome, balanceCents } = task.result ?? {};
  const balance = balanceCents === undefined ? '' : `, balance ${money(balanceCents)}`;
  card.text(`answer-${number}`, outcome ? `${outcome}${balance}` : (task.error?.message ?? ''));
}

function waitingText(...tasks) {
  const isHeldBack = tasks.some(({ state }) => state === 'delayed');
  return isHeldBack
    ? 'One is held back while the other has the transaction id; then it gets the same answer.'
    : 'On their way.';
}
