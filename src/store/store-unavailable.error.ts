/** The shop's store did not answer. A request may be sent again; a task gets another attempt. */
export class StoreUnavailableError extends Error {
  readonly code = 'STORE_UNAVAILABLE';

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The shop's store does not answer (${reason}): check that Redis runs, then try again.`, { cause });
    this.name = new.target.name;
  }
}
