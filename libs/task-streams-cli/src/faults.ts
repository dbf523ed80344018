/** The program was called in a way that cannot work. The message says what to do. */
export class UsageFault extends Error {}

/** The answer is no: what was asked for is not there, or somebody said no. */
export class NoFault extends Error {}
