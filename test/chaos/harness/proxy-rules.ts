/** A command that travels through the proxy: its name in capitals and its first words after it. */
export interface PassingCommand {
  readonly name: string;
  readonly words: readonly string[];
}

/**
 * What happens to one command.
 *
 * - `pass`: nothing.
 * - `drop-reply`: Redis carries it out, the answer is thrown away and the connection is reset.
 * - `freeze`: Redis does not see it, and nothing passes on this connection any more, without a word to either end.
 * - `{ error }`: Redis does not see it; this is the answer.
 */
export type Verdict = 'pass' | 'drop-reply' | 'freeze' | { readonly error: string };

export type Judge = (command: PassingCommand) => Verdict;

/** What flows: both ways, only towards Redis, only back from it, or nothing. */
export type Flow = 'both' | 'up' | 'down' | 'none';

/** What a connection asks its proxy. */
export interface ProxyRules {
  readonly isRaw: boolean;
  readonly judge: Judge;
  readonly delayMs: () => number;
  readonly flow: () => Flow;
}
