import { Inject, Injectable } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import { ContextIdFactory, DiscoveryService, ExternalContextCreator, MetadataScanner, ModuleRef } from '@nestjs/core';
import type { IdempotencyStore } from '../contracts/idempotency-store.interface.js';
import { IDEMPOTENCY_STORE, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { runPieces } from '../pipeline/run-pieces.js';
import { TaskPieces } from '../pipeline/task-pieces.js';
import { runOf } from '../pipeline/run-context.js';
import type { TaskContext } from '../pipeline/task-context.js';
import { UsageError } from '../task/config-errors.js';
import { LIBRARY_VERSION } from '../task/library-version.js';
import { hasOnlyOurPieces } from './bind-pieces.js';
import { definitionOf, type HandlerDeclaration } from './handler-definition.js';
import {
  appWideEnhancers,
  contextCreatorOf,
  createRpcParamsFactory,
  METHOD_PARAMETERS,
  resolveInContext,
  type AppWideEnhancers,
} from './nest-internals.js';
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
  readonly creator: ExternalContextCreator;
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
  readonly #paramsFactory = createRpcParamsFactory((context) => runOf(context as TaskContext).payload);

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(ExternalContextCreator) private readonly contextCreator: ExternalContextCreator,
    @Inject(IDEMPOTENCY_STORE) private readonly store: IdempotencyStore,
    @Inject(TaskPieces) private readonly pieces: TaskPieces,
    @Inject(RESOLVED_OPTIONS) private readonly options: Pick<ResolvedOptions, 'enhancers'>,
  ) {}

  /** The handlers on providers. A provider that is known under two tokens counts once, one of two modules twice. */
  findOnProviders(): FoundHandler[] {
    const seen = new Set<unknown>();
    return this.discovery.getProviders().flatMap((wrapper) => {
      if (wrapper.isAlias || isSeen(seen, wrapper)) return [];
      return this.#handlersOf(wrapper);
    });
  }

  /** The handlers on controllers. */
  findOnControllers(): FoundHandler[] {
    return this.discovery.getControllers().flatMap((wrapper) => this.#handlersOf(wrapper));
  }

  /**
   * The pipeline of Nest around a handler. To be called late: guards, pipes, interceptors and filters of the whole
   * application that are added afterwards are not part of it.
   */
  createInvoke(handler: FoundHandler): Invoke {
    const { wrapper, methodName } = handler;
    const creator = contextCreatorOf(this.contextCreator, wrapper.host?.token ?? '', this.#isAppWide);
    const isStatic = wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
    if (!isStatic) return (payload, context) => this.#invokeScoped(handler, creator, payload, context);
    const instance = wrapper.instance as object;
    const isShort =
      hasOnlyOurPieces(handler.method, instance.constructor) && !this.#hasAppWideOnes() && !this.pieces.areReplaced;
    const parts = { creator, instance, methodName, method: methodOf(instance, methodName) };
    return isShort ? this.#createShortPipeline(parts) : this.#create(parts);
  }

  /** What is bound for the whole application; `undefined` where Nest does not tell. */
  appWideEnhancers(): AppWideEnhancers | undefined {
    return appWideEnhancers(this.contextCreator);
  }

  get #isAppWide(): boolean {
    return this.options.enhancers === 'all';
  }

  /** Where it cannot be known there may be some, so that nothing is left out. */
  #hasAppWideOnes(): boolean {
    if (!this.#isAppWide) return false;
    const found = this.appWideEnhancers();
    return found === undefined || [found.guards, found.interceptors, found.filters].some((names) => names.length > 0);
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
  async #invokeScoped(
    { wrapper, methodName, place }: FoundHandler,
    creator: ExternalContextCreator,
    ...[payload, context]: Parameters<Invoke>
  ): Promise<unknown> {
    const moduleRef = wrapper.host?.getProviderByKey<ModuleRef>(ModuleRef).instance;
    if (moduleRef === undefined) throw new TypeError(`${place} has no module to resolve it from`);
    const contextId = ContextIdFactory.getByRequest(context);
    const request: unknown = wrapper.isDependencyTreeDurable() ? (contextId.payload ?? context) : context;
    moduleRef.registerRequestByContextId(request, contextId);
    const instance = await resolveInContext(wrapper, contextId);
    const method = methodOf(instance, methodName);
    const scope = { contextId, inquirerId: wrapper.id };
    return this.#create({ creator, instance, methodName, method, scope })(payload, context);
  }

  /**
   * The pipeline of a handler that has no guards, interceptors and filters but ours: our pieces as plain functions around
   * Nest's pipes and the method. It does the same at a third of the cost, because nothing becomes an observable and comes
   * back. What the filter would do, the executor does.
   */
  #createShortPipeline(parts: PipelineParts): Invoke {
    const proceed = this.#create({ ...parts, method: withLastValue(parts.method), enhancers: ONLY_PIPES });
    return (_payload, context) => {
      const run = runOf(context);
      return runPieces(run, this.store, () => proceed(run.payload, context) as Promise<unknown>);
    };
  }

  #create({ creator, instance, methodName, method, scope, enhancers }: PipelineParts): Invoke {
    return creator.create(
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
