import {
  BadRequestException,
  Inject,
  Injectable,
  mixin,
  Optional,
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../contracts/tokens.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import type { PayloadClass } from '../task/task-contract.js';
import { classValidatorFor, shapeFault, type ClassValidator } from '../validation/class-validator.js';

const pipes = new WeakMap<object, Type<PipeTransform>>();

/**
 * A pipe that validates a payload against its class and makes an instance of it. It lets everything through where the
 * module's `validate` is off, where class-validator and class-transformer are not installed, and for a class without a
 * rule.
 */
export function payloadValidationPipe(payloadClass: PayloadClass<unknown>): Type<PipeTransform> {
  const known = pipes.get(payloadClass);
  if (known !== undefined) return known;

  @Injectable()
  class PayloadValidationPipe implements PipeTransform {
    constructor(@Optional() @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedOptions | undefined) {}

    transform(value: unknown, metadata: ArgumentMetadata): unknown {
      return this.options?.validate === false ? value : validate(payloadClass, value, metadata);
    }
  }

  const pipe = mixin(PayloadValidationPipe) as Type<PipeTransform>;
  pipes.set(payloadClass, pipe);
  return pipe;
}

async function validate(
  payloadClass: PayloadClass<unknown>,
  value: unknown,
  metadata: ArgumentMetadata,
): Promise<unknown> {
  const packages = await classValidatorFor(payloadClass);
  if (packages === undefined) return value;
  const fault = shapeFault(value);
  if (fault !== undefined) throw new BadRequestException([fault]);
  return validatorOf(packages, payloadClass).transform(value, metadata);
}

const validators = new WeakMap<object, ValidationPipe>();

function validatorOf(packages: ClassValidator, payloadClass: PayloadClass<unknown>): ValidationPipe {
  const known = validators.get(payloadClass);
  if (known !== undefined) return known;
  const validator = new ValidationPipe({
    expectedType: payloadClass as unknown as Type<unknown>,
    transform: true,
    transformerPackage: packages.transformer,
    validatorPackage: packages.validator,
  });
  validators.set(payloadClass, validator);
  return validator;
}
