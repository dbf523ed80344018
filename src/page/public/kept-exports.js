const KEY = 'exports';
const MOST = 5;

/** The paths of the exports that this browser started last, newest first: a reload finds them again. */
export function keptExports() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}

export function keepExport(path) {
  store([path, ...keptExports().filter((one) => one !== path)].slice(0, MOST));
}

/** The server knows it no more. */
export function forgetExport(path) {
  store(keptExports().filter((one) => one !== path));
}

function store(paths) {
  try {
    localStorage.setItem(KEY, JSON.stringify(paths));
  } catch {
    // A browser that keeps nothing: the page works until it is reloaded.
  }
}
