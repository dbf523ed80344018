/** The value of a field of an entry, whose names and values alternate; `undefined` where it has none of this name. */
export function fieldOf(fields: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < fields.length; i += 2) {
    if (fields[i] === name) return fields[i + 1];
  }
  return undefined;
}
