/** Members that become the prototype of an object that a payload is copied into, as by `Object.assign`. */
export const PROTO_MEMBERS: ReadonlySet<string> = new Set(['__proto__']);

/** Members that class-transformer and Nest's ValidationPipe take out of what they make an instance of, in silence. */
export const CLASS_MEMBERS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The path of the first member with one of the names, such as `payload.lines[3].constructor`; `undefined` without one. */
export function findMember(value: unknown, names: ReadonlySet<string>, path = 'payload'): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    const place = isList ? `${path}[${name}]` : `${path}.${name}`;
    if (!isList && names.has(name)) return place;
    const found = findMember(member, names, place);
    if (found !== undefined) return found;
  }
  return undefined;
}
