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
import type { ExternalContextCreator, ModulesContainer } from '@nestjs/core';
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
type ParamsFactory = NonNullable<Parameters<ExternalContextCreator['create']>[4]>;

/** What reads `@Payload()` and `@Ctx()` from the arguments of a message. */
export function createRpcParamsFactory(): ParamsFactory {
  // Its types ask for less than the interface offers; Nest's own RPC path uses it in the same way.
  return new RpcParamsFactory() as unknown as ParamsFactory;
}

/** The part of Nest's ApplicationConfig that tells of global enhancers. */
interface GlobalEnhancers {
  getGlobalGuards(): readonly unknown[];
  getGlobalRequestGuards(): readonly unknown[];
  getGlobalInterceptors(): readonly unknown[];
  getGlobalRequestInterceptors(): readonly unknown[];
  getGlobalFilters(): readonly unknown[];
  getGlobalRequestFilters(): readonly unknown[];
}

/**
 * Whether the application has global guards, interceptors or filters. Answers true where it cannot tell, so that nothing
 * is left out.
 */
export function hasGlobalEnhancers(creator: ExternalContextCreator): boolean {
  const { guardsContextCreator } = creator as unknown as {
    readonly guardsContextCreator?: { readonly config?: GlobalEnhancers };
  };
  const config = guardsContextCreator?.config;
  if (config === undefined) return true;
  const lists = [
    config.getGlobalGuards(),
    config.getGlobalRequestGuards(),
    config.getGlobalInterceptors(),
    config.getGlobalRequestInterceptors(),
    config.getGlobalFilters(),
    config.getGlobalRequestFilters(),
  ];
  return lists.some((list) => list.length > 0);
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
