import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { IsInt } from 'class-validator';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

class Order {
  @IsInt()
  readonly cents!: number;
}

const metadata = { type: 'body' } as unknown as ArgumentMetadata;

/** What the two sides make of a payload, each loaded anew. */
async function sides(): Promise<{ worker(value: object): unknown; sender(value: object): Promise<void> }> {
  const { payloadValidationPipe } = await import('../handlers/payload-validation.pipe.js');
  const { validatePayload } = await import('../producer/validate-payload.js');
  const pipe = new (payloadValidationPipe(Order))({}) as PipeTransform;
  return {
    worker: async (value) => pipe.transform(value, metadata),
    sender: (value) => validatePayload('order', Order, JSON.stringify(value)),
  };
}

beforeEach(() => vi.resetModules());

afterEach(() => {
  vi.doUnmock('class-validator');
  vi.doUnmock('class-transformer');
});

describe('a package for validation', () => {
  it.each(['class-validator', 'class-transformer'])('that is broken is an error on both sides: %s', async (name) => {
    broken(name);
    const { worker, sender } = await sides();
    const seen = { cause: { message: 'it cannot be loaded' } };
    await expect(worker({ cents: 1 })).rejects.toMatchObject(seen);
    await expect(sender({ cents: 1 })).rejects.toMatchObject(seen);
  });

  it('that is there refuses the same payloads on both sides', async () => {
    const { worker, sender } = await sides();
    await expect(worker({ cents: 'many' })).rejects.toThrow();
    await expect(sender({ cents: 'many' })).rejects.toThrow('cents must be an integer number');
  });
});

function broken(name: string): void {
  vi.doMock(name, () => {
    throw new Error('it cannot be loaded');
  });
}
