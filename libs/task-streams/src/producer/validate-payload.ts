import { PayloadInvalidError } from '../task/producer-errors.js';
import type { PayloadClass } from '../task/task-contract.js';
import { classValidatorFor, shapeFault } from '../validation/class-validator.js';
import { flattenValidationErrors } from '../validation/validation-errors.js';

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
  const violations = await violationsOf(payloadClass, JSON.parse(body));
  if (violations.length > 0) throw new PayloadInvalidError(taskName, violations);
}

async function violationsOf(payloadClass: PayloadClass<unknown>, value: unknown): Promise<readonly string[]> {
  const packages = await classValidatorFor(payloadClass);
  if (packages === undefined) return [];
  const fault = shapeFault(value);
  if (fault !== undefined) return [fault];
  const instance = packages.toInstance(payloadClass, value);
  // Nest's ValidationPipe does not forbid unknown values either; the same payload must pass on both sides.
  return flattenValidationErrors(await packages.validator.validate(instance, { forbidUnknownValues: false }));
}
