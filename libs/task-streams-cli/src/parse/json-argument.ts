import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { UsageFault } from '../faults.js';

/**
 * A value given as JSON, as `@file`, or as `-` for the standard input.
 *
 * @param option What it is the value of, for the error.
 */
export async function readJsonArgument(option: string, argument: string): Promise<unknown> {
  const text = await readText(option, argument);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const where = argument === '-' ? 'the standard input' : argument.startsWith('@') ? argument.slice(1) : 'its value';
    throw new UsageFault(
      `${option}: ${where} is no JSON (${(error as Error).message}). Text goes in quotes of its own: '"text"'.`,
    );
  }
}

async function readText(option: string, argument: string): Promise<string> {
  if (argument === '-') return readAll(process.stdin);
  if (!argument.startsWith('@')) return argument;
  try {
    return await readFile(argument.slice(1), 'utf8');
  } catch (error) {
    throw new UsageFault(`${option}: ${argument.slice(1)} cannot be read: ${(error as Error).message}`);
  }
}
