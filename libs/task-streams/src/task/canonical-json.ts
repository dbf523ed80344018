/**
 * A JSON text with the members of every object in one order, so that equal data is equal text: names that are whole numbers
 * first and by their number, as JavaScript has them, then the others by their UTF-16 units. Lists keep their order. The
 * text itself where it is in that order already.
 *
 * @param json What JSON.stringify wrote.
 */
export function canonicalJson(json: string): string {
  // No object, or one of one member.
  if (json.length < 10 || !json.includes('{')) return json;
  const value: unknown = JSON.parse(json);
  return isCanonical(value) ? json : JSON.stringify(canonical(value));
}

/** Whether a name is one that objects keep before all others. */
function isIndex(name: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 4_294_967_295;
}

function isCanonical(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isCanonical);
  let last: string | undefined;
  for (const [name, member] of Object.entries(value)) {
    if (!isCanonical(member)) return false;
    if (isIndex(name)) continue;
    if (last !== undefined && name < last) return false;
    last = name;
  }
  return true;
}

function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // By way of entries, so that a member `__proto__` stays a member.
  return Object.fromEntries(members.map(([name, member]) => [name, canonical(member)]));
}
