import { UseFilters, UseInterceptors, type NestInterceptor } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { describe, expect, it } from 'vitest';
import {
  createRpcParamsFactory,
  METHOD_FILTERS,
  METHOD_INTERCEPTORS,
  METHOD_PARAMETERS,
  PAYLOAD_PARAM,
} from './nest-internals.js';

const interceptor: NestInterceptor = { intercept: (_context, next) => next.handle() };
const filter = { catch: () => undefined };

class Host {
  @UseInterceptors(interceptor)
  @UseFilters(filter)
  run(@Payload() _payload: unknown, @Ctx() _context: unknown): void {}
}

// Every one of these is a private matter of Nest: a new major may change it, and this says so before a user does.
describe('what Nest keeps to itself', () => {
  it('is where this library looks for it', () => {
    expect(Reflect.getMetadata(METHOD_INTERCEPTORS, Host.prototype.run)).toEqual([interceptor]);
    expect(Reflect.getMetadata(METHOD_FILTERS, Host.prototype.run)).toEqual([filter]);
    expect(Object.keys(Reflect.getMetadata(METHOD_PARAMETERS, Host, 'run') as object)).toContain(`${PAYLOAD_PARAM}:0`);
  });

  it('reads the payload and the context from the arguments', () => {
    const factory = createRpcParamsFactory(() => 'payload') as unknown as {
      exchangeKeyForValue(type: number, data: unknown, args: unknown[]): unknown;
    };
    const types = Object.keys(Reflect.getMetadata(METHOD_PARAMETERS, Host, 'run') as object).map((key) =>
      Number(key.split(':')[0]),
    );
    const read = types.map((type) => factory.exchangeKeyForValue(type, undefined, [undefined, 'context']));
    expect(new Set(read)).toEqual(new Set(['payload', 'context']));
  });
});
