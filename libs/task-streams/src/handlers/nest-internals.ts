/**
 * Everything this library needs of Nest that is not in the index of its packages. All of it is the same on Nest 11 and
 * 12; a test on both holds that.
 */
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import type { ContextId, DiscoveryService, ExternalContextCreator, ModulesContainer } from '@nestjs/core';
import { Injector } from '@nestjs/core/injector/injector.js';
import { RpcParamsFactory } from '@nestjs/microservices/factories/rpc-params-factory.js';

/** Where Nest keeps the interceptors of a method. */
export const METHOD_INTERCEPTORS: string = INTERCEPTORS_METADATA;
/** Where Nest keeps the exception filters of a method. */
export const METHOD_FILTERS: string = EXCEPTION_FILTERS_METADATA;
/** Where Nest keeps the guards of a method or class. */
export const METHOD_GUARDS: string = GUARDS_METADATA;
/** Where Nest keeps the decorated parameters of a method. */
export const METHOD_PARAMETERS: string = ROUTE_ARGS_METADATA;
/** `RpcParamtype.PAYLOAD`, which is not exported. */
export const PAYLOAD_PARAM = 3;

/** A class that can be a module. */
type ModuleClass = abstract new (...args: never[]) => object;
type InstanceWrapper = ReturnType<DiscoveryService['getProviders']>[number];
type ParamsFactory = NonNullable<Parameters<ExternalContextCreator['create']>[4]>;

/**
 * What reads `@Payload()` and `@Ctx()` from the arguments of a message.
 *
 * @param payloadOf The payload for a context. Nest keeps the arguments of a call, also when its handler is run again.
 */
export function createRpcParamsFactory(payloadOf: (context: unknown) => unknown): ParamsFactory {
  // Its types ask for less than the interface offers; Nest's own RPC path uses it in the same way.
  const factory = new RpcParamsFactory() as unknown as ParamsFactory;
  return {
    exchangeKeyForValue: (type: number, data: never, [payload, context]: readonly unknown[]) =>
      factory.exchangeKeyForValue(type, data, [
        type === PAYLOAD_PARAM ? payloadOf(context) : payload,
        context,
      ] as never),
  } as ParamsFactory;
}

/** The part of Nest's ApplicationConfig that tells of enhancers of the whole application. */
interface EnhancerConfig {
  getGlobalGuards(): readonly object[];
  getGlobalRequestGuards(): readonly ScopedEnhancer[];
  getGlobalInterceptors(): readonly object[];
  getGlobalRequestInterceptors(): readonly ScopedEnhancer[];
  getGlobalPipes(): readonly object[];
  getGlobalRequestPipes(): readonly ScopedEnhancer[];
  getGlobalFilters(): readonly object[];
  getGlobalRequestFilters(): readonly ScopedEnhancer[];
}

interface ScopedEnhancer {
  readonly metatype?: { readonly name?: string } | null;
}

/** The class names of what was bound for the whole application. */
export interface AppWideEnhancers {
  readonly guards: readonly string[];
  readonly interceptors: readonly string[];
  readonly pipes: readonly string[];
  readonly filters: readonly string[];
}

/** The enhancers of the whole application, by `APP_GUARD` and its like or by `useGlobal…`; `undefined` where Nest does not tell. */
export function appWideEnhancers(creator: ExternalContextCreator): AppWideEnhancers | undefined {
  const config = (creator as unknown as { readonly guardsContextCreator?: { readonly config?: EnhancerConfig } })
    .guardsContextCreator?.config;
  if (config === undefined) return undefined;
  return {
    guards: namesOf(config.getGlobalGuards(), config.getGlobalRequestGuards()),
    interceptors: namesOf(config.getGlobalInterceptors(), config.getGlobalRequestInterceptors()),
    pipes: namesOf(config.getGlobalPipes(), config.getGlobalRequestPipes()),
    filters: namesOf(config.getGlobalFilters(), config.getGlobalRequestFilters()),
  };
}

function namesOf(instances: readonly object[], scoped: readonly ScopedEnhancer[]): string[] {
  return [
    ...instances.map((instance) => instance.constructor.name),
    ...scoped.map(({ metatype }) => metatype?.name ?? 'one of a request'),
  ];
}

const ENHANCER_CREATORS = [
  'guardsContextCreator',
  'interceptorsContextCreator',
  'pipesContextCreator',
  'filtersContextCreator',
] as const;

/**
 * A context creator for the hosts of one module. Nest's own looks for a host among providers only, and finds none of the
 * enhancers of a controller.
 *
 * @param isAppWide Whether it binds the enhancers of the whole application too.
 */
export function contextCreatorOf(
  creator: ExternalContextCreator,
  moduleKey: string,
  isAppWide: boolean,
): ExternalContextCreator {
  const own = isAppWide ? [] : ENHANCER_CREATORS.map((name) => [name, withoutConfig(creator, name)] as const);
  const moduleKeyOf = (): string => moduleKey;
  return Object.assign(Object.create(creator) as ExternalContextCreator, Object.fromEntries(own), {
    // Nest 12 and newer releases of 11 ask by the first name, older ones by the second.
    getHostModuleKey: moduleKeyOf,
    getContextModuleKey: moduleKeyOf,
  });
}

function withoutConfig(creator: ExternalContextCreator, name: (typeof ENHANCER_CREATORS)[number]): object {
  const part = (creator as unknown as Readonly<Record<typeof name, object>>)[name];
  return Object.assign(Object.create(part) as object, { config: undefined });
}

const injector = new Injector();

/** The instance of a request-scoped provider or controller for one context. `ModuleRef.resolve` knows no controllers. */
export function resolveInContext(wrapper: InstanceWrapper, contextId: ContextId): Promise<object> {
  const { host, token } = wrapper;
  if (host === null || host === undefined)
    throw new TypeError(`${String(wrapper.name)} has no module to resolve it from`);
  const collection = host.controllers.has(token) ? host.controllers : host.providers;
  return injector.loadPerContext(wrapper.instance as object, host, collection, contextId, wrapper);
}

/**
 * Makes the hooks of a module run last when the application starts and first when it stops, before and after those of the
 * root module: Nest sorts modules by their distance from the root, once, before the first hook. To be called in the
 * constructor of the module class.
 *
 * See `getModulesToTriggerHooksOn` in `@nestjs/core/nest-application-context.js`.
 */
export function putModuleOutermost(modules: ModulesContainer, moduleClass: ModuleClass): void {
  for (const module of modules.values()) {
    if (module.metatype === moduleClass) module.distance = -1;
  }
}

/** How many modules of a class the application has. */
export function countModules(modules: ModulesContainer, moduleClass: ModuleClass): number {
  return [...modules.values()].filter((module) => module.metatype === moduleClass).length;
}
