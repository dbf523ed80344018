import { describe, expect, it } from 'vitest';
import { pathOfTask } from './shop-queues.js';

describe('the path of a task', () => {
  it('is that of its resource', () => {
    expect(pathOfTask('payments', 'payments~0~42')).toBe('/payments/debits/payments~0~42');
  });

  it('gives back the very ref after the decoding that a server does', () => {
    const ref = 'reports~0~100%25%2Fmarch';
    const [, , segment = ''] = pathOfTask('reports', ref).split('/');
    expect(decodeURIComponent(segment)).toBe(ref);
  });
});
