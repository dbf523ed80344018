import type { PipeTransform, Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { UsageError } from '../task/config-errors.js';
import type { PayloadClass } from '../task/task-contract.js';
import type { HandlerDeclaration } from './handler-definition.js';
import { METHOD_PARAMETERS, PAYLOAD_PARAM } from './nest-internals.js';
import { payloadValidationPipe } from './payload-validation.pipe.js';

/** What Nest keeps about one decorated parameter. */
interface ParameterMetadata {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly (Type<PipeTransform> | PipeTransform)[];
}

type ParametersMetadata = Readonly<Record<string, ParameterMetadata>>;

type Lost = Pick<HandlerDeclaration, 'isPayloadLost' | 'place' | 'options'>;

/** Where TypeScript keeps the classes of parameters. */
const PARAMETER_TYPES = 'design:paramtypes';

const NO_CLASSES: readonly unknown[] = [Object, String, Number, Boolean, Array, Date, Map, Set, Promise, Function];

/**
 * Makes a method without parameter decorators take the payload and the context, in this order. Without them the pipeline
 * of a provider would hand over the arguments as they are and run no pipe.
 */
export function bindDefaultParameters(target: object, key: string | symbol): void {
  if (Reflect.getMetadata(METHOD_PARAMETERS, target.constructor, key) !== undefined) return;
  Payload()(target, key, 0);
  Ctx()(target, key, 1);
}

/**
 * Puts validation in front of the pipes of the whole-payload parameter, where a class is known: the one of the contract,
 * else the type of the parameter. Only there, because a pipe of the method would also see the context.
 */
export function bindPayloadValidation(
  target: object,
  key: string | symbol,
  contractClass: PayloadClass<unknown> | undefined,
): void {
  const parameters = (Reflect.getMetadata(METHOD_PARAMETERS, target.constructor, key) ?? {}) as ParametersMetadata;
  const changed = Object.entries(parameters).map(([name, parameter]) => {
    const payloadClass = isWholePayload([name, parameter])
      ? (contractClass ?? typeOfParameter(target, key, parameter.index))
      : undefined;
    if (payloadClass === undefined) return [name, parameter] as const;
    return [name, { ...parameter, pipes: [payloadValidationPipe(payloadClass), ...(parameter.pipes ?? [])] }] as const;
  });
  // A copy of its own: what is found may belong to the class this one extends.
  Reflect.defineMetadata(METHOD_PARAMETERS, Object.fromEntries(changed), target.constructor, key);
}

/**
 * Gives Nest the class of the payload where the compiler has not: of an `import type` it leaves `Function`, of which the
 * usual ValidationPipe of an application makes a function of the payload, and of an interface `Object`.
 *
 * @returns Whether the class is lost: there was one, and nobody knows it.
 */
export function handOnPayloadClass(
  target: object,
  key: string | symbol,
  contractClass: PayloadClass<unknown> | undefined,
): boolean {
  const types = Reflect.getMetadata(PARAMETER_TYPES, target, key) as readonly unknown[] | undefined;
  const parameters = (Reflect.getMetadata(METHOD_PARAMETERS, target.constructor, key) ?? {}) as ParametersMetadata;
  const payloads = Object.entries(parameters).filter((entry) => isWholePayload(entry));
  if (types === undefined || payloads.length === 0) return false;
  const indexes = payloads.map(([, { index }]) => index);
  const isLost = contractClass === undefined && indexes.some((index) => types[index] === Function);
  const known = types.map((type, i) =>
    indexes.includes(i) && (type === Function || type === Object) ? (contractClass ?? Object) : type,
  );
  Reflect.defineMetadata(PARAMETER_TYPES, known, target, key);
  return isLost;
}

/** @throws UsageError for a handler whose payload would be validated if its class were known. */
export function requireKnownPayload({ isPayloadLost, place, options }: Lost): void {
  if (!isPayloadLost || options.validate === false) return;
  throw new UsageError(
    `The class of the payload of ${place} is not there at runtime, because it is imported with \`import type\`, so nothing ` +
      'can be validated. Import it without `type`, or give a contract: defineTask(name, { payload: Class }). To take ' +
      'payloads as they are, set validate: false in @TaskHandler.',
  );
}

function isWholePayload([name, { data }]: readonly [string, ParameterMetadata]): boolean {
  return name.startsWith(`${PAYLOAD_PARAM}:`) && data === undefined;
}

function typeOfParameter(target: object, key: string | symbol, index: number): PayloadClass<unknown> | undefined {
  const types = Reflect.getMetadata(PARAMETER_TYPES, target, key) as readonly unknown[] | undefined;
  const type = types?.[index];
  return typeof type === 'function' && !NO_CLASSES.includes(type) ? (type as PayloadClass<unknown>) : undefined;
}
