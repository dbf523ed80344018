/**
 * What to write instead of a name that is not known: the nearest known one, or all of them. `inside` are the names of
 * groups, such as `timing.sweepMs`, which people look for one floor too high.
 *
 * @internal
 */
export function suggestName(wrong: string, known: readonly string[], inside: readonly string[] = []): string {
  let nearest: string | undefined;
  let nearestDistance = Infinity;
  const candidates = [
    ...known.map((name) => [name, name] as const),
    ...inside.map((name) => [name, name.slice(name.lastIndexOf('.') + 1)] as const),
  ];
  for (const [name, word] of candidates) {
    const distance = nameDistance(wrong.toLowerCase(), word.toLowerCase());
    if (distance < nearestDistance) [nearest, nearestDistance] = [name, distance];
  }
  // Further away it is another word, and the whole list helps more.
  const isNear = nearestDistance <= Math.max(2, Math.floor(wrong.length / 3));
  return isNear && nearest !== undefined ? `did you mean ${nearest}?` : `the names are ${known.join(', ')}`;
}

/** Letters to add, drop or change, as Levenshtein counts them. */
function nameDistance(left: string, right: string): number {
  if (left.length > 64) return Infinity;
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...left].entries()) {
    const next = [line + 1];
    for (let column = 1; column <= right.length; column += 1) {
      const change = (row[column - 1] ?? 0) + (right[column - 1] === letter ? 0 : 1);
      next.push(Math.min(change, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? Infinity;
}
