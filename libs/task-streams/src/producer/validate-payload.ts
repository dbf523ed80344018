import type { ValidationError } from 'class-validator';
import { CLASS_MEMBERS, findMember } from '../task/find-member.js';
import { PayloadInvalidError } from '../task/producer-errors.js';
import type { PayloadClass } from '../task/task-contract.js';

type Validate = (payloadClass: PayloadClass<object>, value: unknown) => Promise<readonly string[]>;

let loading: Promise<Validate | undefined> | undefined;

/**
 * Checks a payload against its class as the worker will see it: after JSON. Does nothing where class-validator or
 * class-transformer is not installed, and for a class without a decorator of class-validator.
 *
 * @param body The payload as JSON text.
 * @throws PayloadInvalidError with the violations, each beginning with the path of its field.
 * @internal
 */
export async function validatePayload(
  taskName: string,
  payloadClass: PayloadClass<unknown>,
  body: string,
): Promise<void> {
  const validate = await (loading ??= loadValidate());
  const violations = await validate?.(payloadClass as PayloadClass<object>, JSON.parse(body));
  if (violations && violations.length > 0) throw new PayloadInvalidError(taskName, violations);
}

async function loadValidate(): Promise<Validate | undefined> {
  const [validator, transformer] = await Promise.all([
    optional('class-validator', () => import('class-validator')),
    optional('class-transformer', () => import('class-transformer')),
  ]);
  if (validator === undefined || transformer === undefined) return undefined;
  return async (payloadClass, value) => {
    const rules = validator.getMetadataStorage().getTargetValidationMetadatas(payloadClass, '', false, false);
    if (rules.length === 0) return [];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return ['the payload must be an object'];
    const lost = findMember(value, CLASS_MEMBERS);
    if (lost !== undefined) return [`${lost} would be lost: no instance of a class can have a member of that name`];
    const instance = transformer.plainToInstance(payloadClass as new () => object, value);
    // Nest's ValidationPipe does not forbid unknown values either; the same payload must pass on both sides.
    return flatten(await validator.validate(instance, { forbidUnknownValues: false }), '');
  };
}

/** An optional peer: absent is an answer, broken is an error. */
async function optional<T>(name: string, load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.endsWith('MODULE_NOT_FOUND') && message.includes(`'${name}'`)) return undefined;
    throw error;
  }
}

function flatten(errors: readonly ValidationError[], parent: string): string[] {
  return errors.flatMap((error) => [
    ...Object.values(error.constraints ?? {}).map((message) => `${parent}${message}`),
    ...flatten(error.children ?? [], `${parent}${error.property}.`),
  ]);
}
