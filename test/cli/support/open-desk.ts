import { inject } from 'vitest';
import type { TaskStreamsOptions } from '../../../libs/task-streams/src/options/task-streams-options.js';
import { openBroker, type BrokerBench } from '../../support/broker/open-broker.js';
import { runBuiltCli, startBuiltCli, type RunningCli } from './built-cli.js';
import { runCli, type CliOptions, type CliResult } from './run-cli.js';

/** A broker of its own keys, and the program that looks after them. */
export interface Desk extends BrokerBench {
  readonly url: string;
  run(args: readonly string[], options?: Partial<CliOptions>): Promise<CliResult>;
  /** Runs what is published, in a process of its own. */
  runBuilt(args: readonly string[], options?: Partial<CliOptions>): Promise<CliResult>;
  /** The same, for a test that does something to it before it ends. */
  start(args: readonly string[], options?: Partial<CliOptions>): RunningCli;
}

/** Opens a desk that is closed when the test ends. */
export async function openDesk(options: TaskStreamsOptions = {}, url = inject('redisUrl')): Promise<Desk> {
  const bench = await openBroker(options, url);
  const own = { url, prefix: bench.prefix };
  return {
    ...bench,
    url,
    run: (args, more = {}) => runCli(args, { ...own, ...more }),
    runBuilt: (args, more = {}) => runBuiltCli(args, { ...own, ...more }),
    start: (args, more = {}) => startBuiltCli(args, { ...own, ...more }),
  };
}
