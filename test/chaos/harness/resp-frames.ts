const CR = 13;

/** Where the line that begins at `start` ends (after its line break); -1 while it is not complete. */
function lineEnd(bytes: Buffer, start: number): number {
  const at = bytes.indexOf('\r\n', start, 'latin1');
  return at < 0 ? -1 : at + 2;
}

/** Where the RESP2 value that begins at `start` ends; -1 while it is not complete. */
export function frameEnd(bytes: Buffer, start: number): number {
  const end = lineEnd(bytes, start);
  if (end < 0) return -1;
  const type = String.fromCharCode(bytes[start] ?? CR);
  if (type !== '$' && type !== '*') return end;
  const length = Number(bytes.toString('latin1', start + 1, end - 2));
  if (length < 0) return end;
  if (type === '$') return bytes.length >= end + length + 2 ? end + length + 2 : -1;
  let next = end;
  for (let i = 0; i < length; i += 1) {
    next = frameEnd(bytes, next);
    if (next < 0) return -1;
  }
  return next;
}

/** The words of a command frame; only the first `max` are read. */
export function commandWords(frame: Buffer, max: number): string[] {
  const words: string[] = [];
  let next = lineEnd(frame, 0);
  while (next >= 0 && next < frame.length && words.length < max) {
    const end = lineEnd(frame, next);
    const length = Number(frame.toString('latin1', next + 1, end - 2));
    words.push(frame.toString('utf8', end, end + length));
    next = end + length + 2;
  }
  return words;
}

/** Collects bytes and gives out whole frames. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Buffer[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const frames: Buffer[] = [];
    let start = 0;
    while (start < this.#pending.length) {
      const end = frameEnd(this.#pending, start);
      if (end < 0) break;
      frames.push(this.#pending.subarray(start, end));
      start = end;
    }
    this.#pending = this.#pending.subarray(start);
    return frames;
  }
}
