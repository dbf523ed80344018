import type { DiscoveryService } from '@nestjs/core';

/** What the container knows about one provider or controller. */
export type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** Whether an instance was met before, under another token; remembers it. */
export function isSeen(seen: Set<unknown>, wrapper: Wrapper): boolean {
  const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : undefined;
  if (typeof instance !== 'object' || instance === null) return false;
  if (seen.has(instance)) return true;
  seen.add(instance);
  return false;
}

/** The object to look for methods on; `undefined` for factories whose product is made for each task. */
export function prototypeOf(wrapper: Wrapper): object | undefined {
  const instance: unknown = wrapper.instance;
  if (typeof instance === 'object' && instance !== null) return Object.getPrototypeOf(instance) as object;
  const { metatype } = wrapper;
  return typeof metatype === 'function' && !wrapper.isNotMetatype
    ? (metatype.prototype as object | undefined)
    : undefined;
}
