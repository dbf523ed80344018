import type { ValidationPipeOptions } from '@nestjs/common';

/** class-validator and class-transformer, which are optional. */
export interface ClassValidator {
  readonly validator: NonNullable<ValidationPipeOptions['validatorPackage']>;
  readonly transformer: NonNullable<ValidationPipeOptions['transformerPackage']>;
  /** Whether a class, or one it extends, has a validation rule. */
  hasRules(type: object): boolean;
}

type ValidatorModule = typeof import('class-validator');

let loading: Promise<ClassValidator | undefined> | undefined;

/** The two packages, or `undefined` where one of them is not installed. Looked for once. */
export function loadClassValidator(): Promise<ClassValidator | undefined> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ClassValidator | undefined> {
  try {
    const [validator, transformer] = await Promise.all([import('class-validator'), import('class-transformer')]);
    return { validator, transformer, hasRules: (type) => hasRules(validator, type) };
  } catch {
    return undefined;
  }
}

function hasRules(validator: ValidatorModule, type: object): boolean {
  const storage = validator.getMetadataStorage();
  return storage.getTargetValidationMetadatas(type as new () => object, '', false, false).length > 0;
}
