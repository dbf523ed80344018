/** What is left of a mixed run. */
export interface Cut {
  /** Kinds of faults. */
  readonly faults: readonly string[];
  /** Kinds of tasks. */
  readonly features: readonly string[];
  readonly scale: number;
}

export interface Shrunk {
  readonly cut: Cut;
  readonly runs: number;
}

const LEAST_SCALE = 0.01;

/**
 * Looks for a smaller run that still fails: first with fewer kinds of faults, then with fewer kinds of tasks, then with fewer of
 * each. Halves are left out first, then smaller parts (delta debugging). A run that fails only now and then is not made as
 * small as it could be, and never too small: each step was seen to fail.
 *
 * @param fails Runs what is left.
 * @param maxRuns When it stops looking.
 */
export async function shrink(whole: Cut, fails: (cut: Cut) => Promise<boolean>, maxRuns: number): Promise<Shrunk> {
  let cut = whole;
  let runs = 0;
  const tryOut = async (smaller: Cut): Promise<boolean> => {
    if (runs >= maxRuns) return false;
    runs += 1;
    const isFailing = await fails(smaller);
    if (isFailing) cut = smaller;
    return isFailing;
  };
  while (cut.scale > LEAST_SCALE && (await tryOut({ ...cut, scale: Math.max(LEAST_SCALE, cut.scale / 4) })));
  await leaveOut(cut.faults, (faults) => tryOut({ ...cut, faults }));
  await leaveOut(cut.features, (features) => tryOut({ ...cut, features }));
  return { cut, runs };
}

/** Leaves out as many parts of a list as it can, beginning with everything. */
async function leaveOut(
  list: readonly string[],
  isEnough: (rest: readonly string[]) => Promise<boolean>,
): Promise<void> {
  let left = list;
  for (let size = left.length; size >= 1; size = Math.floor(size / 2)) {
    for (let first = 0; first < left.length;) {
      const rest = [...left.slice(0, first), ...left.slice(first + size)];
      if (await isEnough(rest)) left = rest;
      else first += size;
    }
  }
}
