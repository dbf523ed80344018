import { describe, expect, it } from 'vitest';
import { wrapText } from './wrap.js';

describe('a text that is wrapped', () => {
  it('breaks between words, and never within one', () => {
    expect(wrapText('the oldest of 400 tasks', 10)).toEqual(['the oldest', 'of 400', 'tasks']);
    expect(wrapText('a notifications.send b', 5)).toEqual(['a', 'notifications.send', 'b']);
    expect(wrapText('', 5)).toEqual(['']);
    expect(wrapText('whole in a pipe', Infinity)).toEqual(['whole in a pipe']);
  });
});
