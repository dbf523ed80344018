import { Catch, ServiceUnavailableException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';

/** Sends a failed check with the body that terminus gave it, which monitors know, instead of a problem. */
@Catch(ServiceUnavailableException)
export class HealthFailureFilter implements ExceptionFilter<ServiceUnavailableException> {
  catch(failure: ServiceUnavailableException, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(failure.getStatus()).json(failure.getResponse());
  }
}
