const FINAL = new Set(['completed', 'dead', 'cancelled', 'expired']);

/** Whether a task in this state will not run again by itself. */
export const isFinal = (state) => FINAL.has(state);

export const money = (cents) => new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(cents / 100);

/** An element with properties and children. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Asks the server; throws what its problem body says, with the status. */
export async function ask(path, method = 'GET', body) {
  const response = await fetch(path, {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (response.status === 204) return undefined;
  const answer = await response.json();
  if (response.ok) return answer;
  const message = answer.detail ?? `The server answered ${response.status}.`;
  throw Object.assign(new Error(message), { status: response.status });
}
