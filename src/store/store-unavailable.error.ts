/** The shop's store did not answer. A request may be sent again; a task gets another attempt. */
export class StoreUnavailableError extends Error {
  readonly code = 'STORE_UNAVAILABLE';

  /** @param cause What the client said; for the log, since it can name addresses. */
  constructor(cause: unknown) {
    super("The shop's store does not answer: check that Redis runs, then try again.", { cause });
    this.name = new.target.name;
  }
}
