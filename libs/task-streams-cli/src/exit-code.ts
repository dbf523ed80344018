import { CommanderError } from 'commander';
import {
  InvalidNameError,
  InvalidOptionError,
  PayloadNotSerializableError,
  PayloadTooLargeError,
  QueueUnavailableError,
  RedisUnavailableError,
  UsageError,
} from 'nestjs-task-streams/admin';
import { NoFault, UsageFault } from './faults.js';

/** What the program ends with: 0 ok, 1 no, 2 wrong usage, 3 Redis cannot be reached, 130 stopped by Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 3 | 130;

const USAGE = [
  UsageFault,
  UsageError,
  InvalidOptionError,
  InvalidNameError,
  PayloadNotSerializableError,
  PayloadTooLargeError,
];
const UNREACHABLE = [RedisUnavailableError, QueueUnavailableError];

/** What an error ends the program with. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof NoFault) return 1;
  if (USAGE.some((kind) => error instanceof kind)) return 2;
  return UNREACHABLE.some((kind) => error instanceof kind) ? 3 : 1;
}
