import type { ValidationPipeOptions } from '@nestjs/common';
import { CLASS_MEMBERS, findMember } from '../task/find-member.js';
import type { PayloadClass } from '../task/task-contract.js';
import { optionalPackage } from './optional-package.js';

type ValidatorModule = typeof import('class-validator');

/** class-validator and class-transformer, which are optional; by types of Nest, which are there without them. */
export interface ClassValidator {
  readonly validator: NonNullable<ValidationPipeOptions['validatorPackage']>;
  readonly transformer: NonNullable<ValidationPipeOptions['transformerPackage']>;
  hasRules(type: object): boolean;
  toInstance(type: PayloadClass<unknown>, value: unknown): object;
}

let loading: Promise<ClassValidator | undefined> | undefined;

/**
 * The two packages for a class that has a validation rule, or inherits one; `undefined` where it has none, and where one of
 * the packages is not installed. They are looked for once.
 *
 * @throws What a package throws that is installed and cannot be loaded.
 */
export async function classValidatorFor(type: object): Promise<ClassValidator | undefined> {
  const packages = await (loading ??= load());
  return packages?.hasRules(type) ? packages : undefined;
}

/** Why a payload can be no instance of a class, with any rules; `undefined` where it can. */
export function shapeFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'the payload must be an object';
  const lost = findMember(value, CLASS_MEMBERS);
  return lost && `${lost} would be lost: no instance of a class can have a member of that name`;
}

async function load(): Promise<ClassValidator | undefined> {
  const [validator, transformer] = await Promise.all([
    optionalPackage('class-validator', () => import('class-validator')),
    optionalPackage('class-transformer', () => import('class-transformer')),
  ]);
  if (validator === undefined || transformer === undefined) return undefined;
  return {
    validator,
    transformer,
    hasRules: (type) => hasRules(validator, type),
    toInstance: (type, value) => transformer.plainToInstance(type as new () => object, value) as object,
  };
}

function hasRules(validator: ValidatorModule, type: object): boolean {
  const storage = validator.getMetadataStorage();
  return storage.getTargetValidationMetadatas(type as new () => object, '', false, false).length > 0;
}
