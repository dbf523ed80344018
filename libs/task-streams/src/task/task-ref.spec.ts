import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidNameError } from './config-errors.js';
import { encodeTaskRef, resolveTaskAddress, type TaskAddress } from './task-ref.js';

const wellFormed = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const id = wellFormed.filter((text) => !/[\s\p{Cc}]/u.test(text) && text.isWellFormed());
const queue = id.filter((text) => !/[{}]/.test(text));

describe('a task reference', () => {
  it('leads back to queue and id, whatever their characters', () => {
    fc.assert(
      fc.property(queue, id, (queueName, taskId) => {
        const address = { queue: queueName, id: taskId };
        expect(resolveTaskAddress(encodeTaskRef(address))).toEqual(address);
      }),
    );
  });

  it('is safe as one segment of a URL path', () => {
    fc.assert(
      fc.property(queue, id, (queueName, taskId) => {
        const ref = encodeTaskRef({ queue: queueName, id: taskId });
        // Two tildes at the least, so that it is never "." or "..".
        expect(new URL(`http://host/tasks/${ref}`).pathname).toBe(`/tasks/${ref}`);
      }),
    );
  });

  it('differs for different addresses that are written alike', () => {
    expect(encodeTaskRef({ queue: 'a~0', id: 'b' })).not.toBe(encodeTaskRef({ queue: 'a', id: '0~b' }));
  });

  it('is not needed where queue and id are known', () => {
    expect(resolveTaskAddress({ queue: 'reports', id: '7' })).toEqual({ queue: 'reports', id: '7' });
  });

  it.each([
    '',
    'a',
    'a~b',
    'a~1~b',
    'a~0~b~c',
    'a~0~',
    '~0~b',
    '%E0~0~b',
    'a~0~%',
    'a~0~%0A',
    '%7B~0~b',
    undefined,
    null,
    7,
    {},
    { queue: 'a' },
  ])('is refused where it is none: %o', (ref) => {
    expect(() => resolveTaskAddress(ref as unknown as TaskAddress)).toThrow(InvalidNameError);
  });
});
