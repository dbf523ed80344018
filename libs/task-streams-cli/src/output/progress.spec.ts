import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Output } from './output.js';
import { Progress } from './progress.js';

function notesOf(isTerminal: boolean) {
  const notes = new PassThrough();
  let time = 0;
  const out = new Output(false, new PassThrough(), Object.assign(notes, { isTTY: isTerminal }));
  return {
    out,
    now: () => time,
    pass: (ms: number) => (time += ms),
    text: () => String(notes.read() ?? ''),
  };
}

describe('progress', () => {
  it('is a bar that is drawn anew on a terminal', () => {
    const { out, now, pass, text } = notesOf(true);
    const progress = new Progress(out, 'moved', 40, now);
    pass(2_000);
    progress.show({ done: 8, refused: 2, failed: 0 });
    progress.end();
    expect(text()).toBe('\r[######------------------] 10 of 40: 8 moved, 2 refused, about 6s left\u001b[K\r\u001b[K');
  });

  it('is a line each three seconds elsewhere', () => {
    const { out, now, pass, text } = notesOf(false);
    const progress = new Progress(out, 'moved', undefined, now);
    for (let done = 1; done <= 7; done += 1) {
      pass(1_000);
      progress.show({ done, refused: 0, failed: 1 });
    }
    progress.end();
    expect(text()).toBe('4: 3 moved, 1 failed\n7: 6 moved, 1 failed\n');
  });
});
