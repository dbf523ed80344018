import { InvalidOptionError } from '../task/config-errors.js';
import { suggestName } from './suggest-name.js';

/**
 * Returns the value of the option at `path`, or throws {@link InvalidOptionError}, which names path, value and cure.
 *
 * @internal
 */
export type OptionCheck<T> = (path: string, value: unknown) => T;

/**
 * One check for each option of a group.
 *
 * @internal
 */
export type OptionChecks<T> = { readonly [K in keyof T]-?: OptionCheck<T[K]> };

/**
 * Accepts whole numbers from `min` to `max`, both included.
 *
 * @internal
 */
export function wholeNumber(min: number, max: number, unit = ''): OptionCheck<number> {
  const cure = `give a whole number from ${min} to ${max}${unit}`;
  return (path, value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidOptionError(
      path,
      value,
      typeof value === 'string' ? `${cure}, not text (Number(…) makes one)` : cure,
    );
  };
}

/**
 * Accepts whole milliseconds from `min` to `max`, both included.
 *
 * @internal
 */
export function milliseconds(min: number, max: number): OptionCheck<number> {
  return wholeNumber(min, max, ' (milliseconds)');
}

/**
 * Accepts true and false.
 *
 * @internal
 */
export const trueOrFalse: OptionCheck<boolean> = (path, value) => {
  if (typeof value === 'boolean') return value;
  throw new InvalidOptionError(path, value, 'give true or false');
};

/**
 * Accepts one of a closed list of words.
 *
 * @internal
 */
export function oneOf<const T extends string>(words: readonly T[]): OptionCheck<T> {
  return (path, value) => {
    if (words.includes(value as T)) return value as T;
    throw new InvalidOptionError(path, value, `give ${words.map((word) => `'${word}'`).join(' or ')}`);
  };
}

/**
 * Accepts functions. What they take and answer is seen only when they are called.
 *
 * @internal
 */
export function functionLike<T>(cure: string): OptionCheck<T> {
  return (path, value) => {
    if (typeof value === 'function') return value as T;
    throw new InvalidOptionError(path, value, cure);
  };
}

/**
 * Answers `fallback` for an option that was left out.
 *
 * @internal
 */
export function withDefault<T>(fallback: T, check: OptionCheck<T>): OptionCheck<T> {
  return (path, value) => (value === undefined ? fallback : check(path, value));
}

/** The check of a group, and the names it knows. */
type GroupCheck<T> = OptionCheck<T> & { readonly names: readonly string[] };

/**
 * Accepts an object of options and answers every one of them; an unknown name is refused.
 *
 * @internal
 */
export function group<T extends object>(checks: OptionChecks<T>): GroupCheck<T> {
  const names = Object.keys(checks) as (keyof T & string)[];
  const inside = names.flatMap((name) => namesOf(checks[name]).map((inner) => `${name}.${inner}`));
  const check: OptionCheck<T> = (path, value) => {
    const given = requireOptions(path, value === undefined ? {} : value, names, inside);
    return Object.freeze(
      Object.fromEntries(names.map((name) => [name, checks[name](join(path, name), given[name])])),
    ) as T;
  };
  return Object.assign(check, { names });
}

function namesOf(check: OptionCheck<unknown> & Partial<GroupCheck<unknown>>): readonly string[] {
  return check.names ?? [];
}

/**
 * Accepts an object of options and answers those that were given; an unknown name is refused.
 *
 * @internal
 */
export function partialGroup<T extends object>(checks: OptionChecks<T>): OptionCheck<Partial<T>> {
  const names = Object.keys(checks) as (keyof T & string)[];
  return (path, value) => {
    const given = requireOptions(path, value, names);
    const present = names.filter((name) => given[name] !== undefined);
    return Object.freeze(
      Object.fromEntries(present.map((name) => [name, checks[name](join(path, name), given[name])])),
    ) as Partial<T>;
  };
}

/**
 * Returns the value as an object whose names are all known.
 *
 * @internal
 */
export function requireOptions(
  path: string,
  value: unknown,
  names: readonly string[],
  inside: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const given = requireObject(path, value);
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) {
      throw new InvalidOptionError(
        join(path, name),
        given[name],
        `there is no such option; ${suggestName(name, names, inside)}`,
      );
    }
  }
  return given;
}

/**
 * Returns the value as an object that is no array.
 *
 * @internal
 */
export function requireObject(path: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new InvalidOptionError(path || 'of TaskStreamsModule', value, 'give an object');
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
