export type RunState = 'waiting' | 'starting' | 'running' | 'doubted' | 'stopping' | 'settling' | 'gone';

/** Where a run is. Each row says what it holds, and what each event makes of it. */
export interface StateRow {
  /** It has one of the slots of its queue. */
  readonly hasSlot: boolean;
  /** Its handler runs, as far as this worker waits for it. */
  readonly hasHandler: boolean;
  readonly on: Readonly<Record<string, { readonly to: RunState; readonly do: string }>>;
}

/**
 * The life of a run: state, event → next state, and what is to be done then. An event that a state does not name comes too
 * late and changes nothing: what ends an attempt first decides. Nothing but {@link Run.take} moves a run.
 *
 * The same as a picture: docs/task-life.md, which a test compares with this table.
 */
export const RUN_STATES = {
  /** It was delivered, and there is no slot for it, or a suspect holds it up. */
  waiting: {
    ...{ hasSlot: false, hasHandler: false },
    on: {
      admit: { to: 'starting', do: 'prepare' },
      cancel: { to: 'waiting', do: 'remember' },
      release: { to: 'settling', do: 'settle' },
      lose: { to: 'gone', do: 'forget' },
    },
  },
  /** It has a slot. An old lease is renewed first, and Redis is told of a suspect. */
  starting: {
    ...{ hasSlot: true, hasHandler: false },
    on: {
      start: { to: 'running', do: 'execute' },
      skip: { to: 'settling', do: 'settle' },
      cancel: { to: 'starting', do: 'remember' },
      stop: { to: 'settling', do: 'settle' },
      release: { to: 'settling', do: 'settle' },
      lose: { to: 'gone', do: 'forget' },
    },
  },
  /** Its handler runs. */
  running: {
    ...{ hasSlot: true, hasHandler: true },
    on: {
      finish: { to: 'settling', do: 'settle' },
      disown: { to: 'gone', do: 'forget' },
      timeOut: { to: 'settling', do: 'abandon' },
      doubt: { to: 'doubted', do: 'abort' },
      cancel: { to: 'running', do: 'abort' },
      stop: { to: 'stopping', do: 'abort' },
      release: { to: 'settling', do: 'abandon' },
      lose: { to: 'gone', do: 'abandon' },
    },
  },
  /** Its handler was told that the lease may be lost. What it returns is settled all the same. */
  doubted: {
    ...{ hasSlot: true, hasHandler: true },
    on: {
      finish: { to: 'settling', do: 'settle' },
      disown: { to: 'gone', do: 'forget' },
      timeOut: { to: 'settling', do: 'abandon' },
      cancel: { to: 'doubted', do: 'abort' },
      stop: { to: 'stopping', do: 'abort' },
      release: { to: 'settling', do: 'abandon' },
      lose: { to: 'gone', do: 'abandon' },
    },
  },
  /** Its handler was told that the worker stops. What it does not complete is released. */
  stopping: {
    ...{ hasSlot: true, hasHandler: true },
    on: {
      finish: { to: 'settling', do: 'settle-if-done' },
      disown: { to: 'settling', do: 'settle-if-done' },
      timeOut: { to: 'settling', do: 'abandon' },
      cancel: { to: 'stopping', do: 'abort' },
      release: { to: 'settling', do: 'abandon' },
      lose: { to: 'gone', do: 'abandon' },
    },
  },
  /** Redis is told what it came to, again and again until that works. Its handler may still run, abandoned. */
  settling: {
    ...{ hasSlot: false, hasHandler: false },
    on: {
      settled: { to: 'gone', do: 'report' },
      cancel: { to: 'settling', do: 'remember' },
      finish: { to: 'settling', do: 'end-late' },
      disown: { to: 'settling', do: 'end-late' },
    },
  },
  /** The registry knows it no more. Its handler may still run, abandoned. */
  gone: {
    ...{ hasSlot: false, hasHandler: false },
    on: {
      finish: { to: 'gone', do: 'end-late' },
      disown: { to: 'gone', do: 'end-late' },
    },
  },
} as const satisfies Readonly<Record<RunState, StateRow>>;

type Table = typeof RUN_STATES;

/**
 * What happens to a run: `admit` a slot was taken for it, `start` it may run, `skip` somebody cancelled it before, `finish`
 * its handler came to an outcome, `disown` to the one that the task is somebody else's, `timeOut` its time is over, `doubt`
 * its lease may be lost, `lose` it is, `cancel` somebody asks for its end, `stop` the worker stops, `release` it is given
 * back, `settled` Redis has answered.
 */
export type RunEvent = { [S in RunState]: keyof Table[S]['on'] }[RunState];

/** What may be to do at an event. */
export type ActionAt<E extends RunEvent> = {
  [S in RunState]: Table[S]['on'] extends Readonly<Record<E, { readonly do: infer A }>> ? A : never;
}[RunState];

/** One step; `undefined` where the state does not name the event. */
export function stepOf<E extends RunEvent>(
  state: StateRow,
  event: E,
): { readonly to: RunState; readonly do: ActionAt<E> } | undefined {
  return state.on[event] as { readonly to: RunState; readonly do: ActionAt<E> } | undefined;
}
