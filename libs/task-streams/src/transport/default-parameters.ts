import type { PipeTransform, Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { PayloadClass } from '../task/task-contract.js';
import { METHOD_PARAMETERS, PAYLOAD_PARAM } from './nest-internals.js';
import { payloadValidationPipe } from './payload-validation.pipe.js';

/** What Nest keeps about one decorated parameter. */
interface ParameterMetadata {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly (Type<PipeTransform> | PipeTransform)[];
}

type ParametersMetadata = Readonly<Record<string, ParameterMetadata>>;

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
    const isPayload = name.startsWith(`${PAYLOAD_PARAM}:`) && parameter.data === undefined;
    const payloadClass = isPayload ? (contractClass ?? typeOfParameter(target, key, parameter.index)) : undefined;
    if (payloadClass === undefined) return [name, parameter] as const;
    return [name, { ...parameter, pipes: [payloadValidationPipe(payloadClass), ...(parameter.pipes ?? [])] }] as const;
  });
  // A copy of its own: what is found may belong to the class this one extends.
  Reflect.defineMetadata(METHOD_PARAMETERS, Object.fromEntries(changed), target.constructor, key);
}

function typeOfParameter(target: object, key: string | symbol, index: number): PayloadClass<unknown> | undefined {
  const types = Reflect.getMetadata('design:paramtypes', target, key) as readonly unknown[] | undefined;
  const type = types?.[index];
  return typeof type === 'function' && !NO_CLASSES.includes(type) ? (type as PayloadClass<unknown>) : undefined;
}
