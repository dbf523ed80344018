import { Inject, Injectable } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import { ContextIdFactory, DiscoveryService, ExternalContextCreator, MetadataScanner, ModuleRef } from '@nestjs/core';
import type { IdempotencyStore } from '../contracts/idempotency-store.interface.js';
import { IDEMPOTENCY_STORE } from '../contracts/tokens.js';
import { runPieces } from '../pipeline/run-pieces.js';
import { runOf, type TaskContext } from '../pipeline/task-context.js';
import { UsageError } from '../task/config-errors.js';
import { LIBRARY_VERSION } from '../task/library-version.js';
import { hasOnlyOurPieces } from './bind-pieces.js';
import { definitionOf, type HandlerDeclaration } from './handler-definition.js';
import { createRpcParamsFactory, hasGlobalEnhancers, METHOD_PARAMETERS } from './nest-internals.js';
import { isSeen, prototypeOf, type Wrapper } from './provider-methods.js';

/** A method that handles a task, and the provider it belongs to. */
export interface FoundHandler extends HandlerDeclaration {
  readonly wrapper: Wrapper;
  readonly methodName: string;
}

/** For Nest's own context creator: leave the enhancers out. */
const ONLY_PIPES = { interceptors: false, guards: false, filters: false };

/** The sub-tree of providers of one task. */
interface Scope {
  readonly contextId: ReturnType<typeof ContextIdFactory.create>;
  readonly inquirerId: string;
}

interface PipelineParts {
  readonly instance: object;
  readonly methodName: string;
  readonly method: Method;
  readonly scope?: Scope | undefined;
  readonly enhancers?: typeof ONLY_PIPES;
}

type Method = (...args: unknown[]) => unknown;
type Invoke = (payload: unknown, context: TaskContext) => unknown;

/** Finds the methods with `@TaskHandler` and puts Nest's pipeline around those of providers. */
@Injectable()
export class TaskExplorer {
  readonly #paramsFactory = createRpcParamsFactory();

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(ExternalContextCreator) private readonly contextCreator: ExternalContextCreator,
    @Inject(IDEMPOTENCY_STORE) private readonly store: IdempotencyStore,
  ) {}

  /** The handlers on providers. A provider that is known under two tokens counts once, one of two modules twice. */
  findOnProviders(): FoundHandler[] {
    const seen = new Set<unknown>();
    return this.discovery.getProviders().flatMap((wrapper) => {
      if (wrapper.isAlias || isSeen(seen, wrapper)) return [];
      return this.#handlersOf(wrapper);
    });
  }

  /** The handlers on controllers. Nest itself registers them with the strategy, when it is connected. */
  findOnControllers(): FoundHandler[] {
    return this.discovery.getControllers().flatMap((wrapper) => this.#handlersOf(wrapper));
  }

  /**
   * The pipeline of Nest around a handler of a provider. To be called late: global guards, pipes, interceptors and
   * filters that are added afterwards are not part of it.
   */
  createInvoke(handler: FoundHandler): Invoke {
    const { wrapper, methodName } = handler;
    const isStatic = wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
    if (!isStatic) return (payload, context) => this.#invokeScoped(handler, payload, context);
    const instance = wrapper.instance as object;
    const isShort = hasOnlyOurPieces(handler.method, instance.constructor) && !hasGlobalEnhancers(this.contextCreator);
    return isShort ? this.#createShortPipeline(instance, methodName) : this.#createPipeline(instance, methodName);
  }

  #handlersOf(wrapper: Wrapper): FoundHandler[] {
    const prototype = prototypeOf(wrapper);
    if (prototype === undefined) return [];
    return this.scanner.getAllMethodNames(prototype).flatMap((methodName) => {
      const declaration = definitionOf((prototype as Record<string, unknown>)[methodName]);
      if (declaration === undefined) return [];
      const place = `${String(wrapper.name)}.${methodName} (${wrapper.host?.name ?? 'no module'})`;
      requireSameVersion(declaration, place);
      return [{ ...declaration, place, wrapper, methodName }];
    });
  }

  /** A new instance for each task, or for each tenant where the application has a ContextIdStrategy. */
  async #invokeScoped(handler: FoundHandler, payload: unknown, context: TaskContext): Promise<unknown> {
    const { wrapper, methodName } = handler;
    const moduleRef = wrapper.host?.getProviderByKey<ModuleRef>(ModuleRef).instance;
    if (moduleRef === undefined) throw new TypeError(`${handler.place} has no module to resolve it from`);
    const contextId = ContextIdFactory.getByRequest(context);
    const request: unknown = wrapper.isDependencyTreeDurable() ? (contextId.payload ?? context) : context;
    moduleRef.registerRequestByContextId(request, contextId);
    const instance = await moduleRef.resolve<object>(wrapper.token, contextId, { strict: true });
    return this.#createPipeline(instance, methodName, { contextId, inquirerId: wrapper.id })(payload, context);
  }

  /**
   * The pipeline of a handler that has no guards, interceptors and filters but ours: our pieces as plain functions around
   * Nest's pipes and the method. It does the same at a third of the cost, because nothing becomes an observable and comes
   * back. What the filter would do, the executor does.
   */
  #createShortPipeline(instance: object, methodName: string): Invoke {
    const method = withLastValue(methodOf(instance, methodName));
    const proceed = this.#create({ instance, methodName, method, enhancers: ONLY_PIPES });
    return (payload, context) =>
      runPieces(runOf(context), this.store, () => proceed(payload, context) as Promise<unknown>);
  }

  #createPipeline(instance: object, methodName: string, scope?: Scope): Invoke {
    return this.#create({ instance, methodName, method: methodOf(instance, methodName), scope });
  }

  #create({ instance, methodName, method, scope, enhancers }: PipelineParts): Invoke {
    return this.contextCreator.create(
      instance,
      method,
      methodName,
      METHOD_PARAMETERS,
      this.#paramsFactory,
      scope?.contextId,
      scope?.inquirerId,
      enhancers,
      'rpc',
    );
  }
}

/** Another copy of the same version is no other library; another version may mean something else by the same words. */
function requireSameVersion({ version }: HandlerDeclaration, place: string): void {
  if (version === LIBRARY_VERSION) return;
  throw new UsageError(
    `${place} has @TaskHandler of nestjs-task-streams ${version}, and TaskStreamsModule is of ${LIBRARY_VERSION}. ` +
      'Let both use one version: npm ls nestjs-task-streams shows who brings which.',
  );
}

function methodOf(instance: object, methodName: string): Method {
  const method = (instance as Record<string, Method | undefined>)[methodName];
  if (method === undefined) throw new TypeError(`There is no method ${methodName} any more`);
  return method;
}

/** The method, answering the last value of its observable, `undefined` for an empty one, which Nest takes for an error. */
function withLastValue(method: Method): Method {
  const wrapped = function (this: unknown, ...args: unknown[]): unknown {
    const answer = method.apply(this, args);
    return isObservable(answer) ? lastValueFrom(answer, { defaultValue: undefined }) : answer;
  };
  // Nest looks for the pipes of the method on the function it is given.
  for (const key of Reflect.getMetadataKeys(method) as unknown[]) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, method), wrapped);
  }
  return wrapped;
}
