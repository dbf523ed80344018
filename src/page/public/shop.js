const FINAL = new Set(['completed', 'dead', 'cancelled', 'expired']);

/** Whether a task in this state will not run again by itself. */
export const isFinal = (state) => FINAL.has(state);

export const money = (cents) => new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(cents / 100);

/** Asks the server; throws what its problem body says. */
export async function ask(path, method = 'GET', body) {
  const response = await fetch(path, {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail ?? `The server answered ${response.status}.`);
  return answer;
}
