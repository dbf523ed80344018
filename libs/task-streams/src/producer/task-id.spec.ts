import { describe, expect, it } from 'vitest';
import { requireTaskId } from '../task/names.js';
import { newTaskId } from './task-id.js';

describe('newTaskId', () => {
  it('makes a UUID of version 7 that carries the time', () => {
    const id = newTaskId(0x0123456789ab);

    expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(requireTaskId(id)).toBe(id);
  });

  it('sorts by time', () => {
    const ids = [1, 255, 256, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1].map(newTaskId);

    expect(ids.toSorted()).toEqual(ids);
  });

  it('never makes one twice', () => {
    expect(new Set(Array.from({ length: 20_000 }, () => newTaskId(1))).size).toBe(20_000);
  });
});
