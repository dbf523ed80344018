import {
  Injectable,
  mixin,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import type { Observable } from 'rxjs';

/** A guard that writes its name down. */
export function tracingGuard(trace: string[], name: string, isAllowed = true): Type<CanActivate> {
  @Injectable()
  class TracingGuard implements CanActivate {
    canActivate(): boolean {
      trace.push(`guard ${name}`);
      return isAllowed;
    }
  }
  return mixin(TracingGuard);
}

/** An interceptor that writes its name down. */
export function tracingInterceptor(trace: string[], name: string): Type<NestInterceptor> {
  @Injectable()
  class TracingInterceptor implements NestInterceptor {
    intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
      trace.push(`interceptor ${name}`);
      return next.handle();
    }
  }
  return mixin(TracingInterceptor);
}

/** A pipe that writes its name down for payloads. */
export function tracingPipe(trace: string[], name: string): Type<PipeTransform> {
  @Injectable()
  class TracingPipe implements PipeTransform {
    transform(value: unknown, { type }: { type: string }): unknown {
      if (type === 'body') trace.push(`pipe ${name}`);
      return value;
    }
  }
  return mixin(TracingPipe);
}
