const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const echoMs = 1_000;
const parentPollMs = 250;

/**
 * Turns signals into promises: the first asks for an orderly stop, a later one for a quick one.
 *
 * @param {number} parentPid the parent of this process when it was started
 * @returns {{ requested: Promise<string>, insisted: Promise<string> }}
 */
export function listenForStop(parentPid) {
  const first = withResolvers();
  const second = withResolvers();
  let requestedAt = 0;
  const onSignal = (/** @type {NodeJS.Signals} */ signal) => {
    if (requestedAt === 0) {
      requestedAt = Date.now();
      first.resolve(signal);
    } else if (Date.now() - requestedAt > echoMs) {
      // Ctrl-C under npm arrives twice, from the terminal and from npm: an echo is no second wish.
      second.resolve(signal);
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  onLossOfShell(parentPid, () => first.resolve('npm ended'));
  return { requested: first.promise, insisted: second.promise };
}

/**
 * npm passes a SIGTERM on to the shell that it runs scripts with, and that shell ends without passing it on: all we see
 * is another parent. Started without npm, a change of parent means nothing (think of nohup).
 *
 * @param {number} shellPid
 * @param {() => void} action
 */
function onLossOfShell(shellPid, action) {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === shellPid) return;
    clearInterval(timer);
    action();
  }, parentPollMs);
  timer.unref();
}

/**
 * What Promise.withResolvers gives on Node 22.
 *
 * @returns {{ promise: Promise<string>, resolve: (value: string) => void }}
 */
function withResolvers() {
  /** @type {(value: string) => void} */
  let resolve = () => {};
  /** @type {Promise<string>} */
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}
