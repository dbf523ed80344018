import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ProblemException } from './problem.js';

/**
 * Makes the body of a request an instance of its class, or refuses it with a line for each field that is wrong. Bound to
 * the bodies, not to the whole application: a global pipe would run on tasks too, which the library validates itself.
 */
export const validBody = new ValidationPipe({
  transform: true,
  whitelist: true,
  forbidNonWhitelisted: true,
  exceptionFactory: (violations) => {
    const errors = violations.flatMap(describe);
    return new ProblemException(400, `The body cannot be used: ${errors.join('; ')}.`, { errors });
  },
});

function describe(violation: ValidationError): string[] {
  const rules = Object.values(violation.constraints ?? {});
  return rules.map((rule) => `${rule} (it is ${JSON.stringify(violation.value) ?? 'missing'})`);
}
