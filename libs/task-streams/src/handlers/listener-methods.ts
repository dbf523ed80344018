import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { UsageError } from '../task/config-errors.js';
import { isSeen, prototypeOf, type Wrapper } from './provider-methods.js';

/** What finds methods. */
export interface Explorer {
  readonly discovery: DiscoveryService;
  readonly scanner: MetadataScanner;
}

/** A method with a decorator that makes it hear of something. */
export interface ListenerMethod<T> {
  /** Such as `Pager.page`. */
  readonly place: string;
  /** What its decorator says. */
  readonly declared: T;
  readonly call: (...args: never[]) => unknown;
}

/**
 * The methods of providers and controllers that have a decorator, each once.
 *
 * @param decorator What it is called, for the message.
 * @param read What it says about a method; `undefined` where it says nothing.
 * @throws UsageError for a method of a provider that is made for each request or injection: there is neither.
 */
export function findListeners<T>(
  { discovery, scanner }: Explorer,
  decorator: string,
  read: (method: unknown) => T | undefined,
): ListenerMethod<T>[] {
  const seen = new Set<unknown>();
  return [...discovery.getProviders(), ...discovery.getControllers()].flatMap((wrapper) => {
    const prototype = wrapper.isAlias || isSeen(seen, wrapper) ? undefined : prototypeOf(wrapper);
    if (prototype === undefined) return [];
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const declared = read((prototype as Readonly<Record<string, unknown>>)[name]);
      if (declared === undefined) return [];
      const place = `${String(wrapper.name)}.${name}`;
      const instance = requireInstance(wrapper, decorator, place);
      return [{ place, declared, call: (...args: never[]) => instance[name]?.(...args) }];
    });
  });
}

function requireInstance(
  wrapper: Wrapper,
  decorator: string,
  place: string,
): Readonly<Record<string, ListenerMethod<unknown>['call'] | undefined>> {
  if (wrapper.isDependencyTreeStatic() && !wrapper.isTransient) return wrapper.instance as never;
  throw new UsageError(
    `${decorator}() of ${place} is on a provider that is made for each request or injection, and here is neither. Put it ` +
      'on a provider of the default scope, and resolve the other one from a ModuleRef there.',
  );
}
