import { describe, expect, it } from 'vitest';
import { projectFiles, readText } from '../support/source-tree.js';

/** What only means something on one machine or in one network. None of the patterns matches its own source text. */
const forbidden: readonly { what: string; pattern: RegExp }[] = [
  // Homebrew's folder on Linux is the same on every machine.
  {
    what: 'an absolute path of one machine',
    pattern: /(?<![\w.~*)\]}-])\/(?:home(?!\/linuxbrew\/)|Users|root|work)\/[\w.-]+/,
  },
  { what: 'a folder outside the repository', pattern: /\.\.\/shared\b/ },
  { what: 'the host of a package registry', pattern: /\bregistry\.[a-z]+\.(?:org|com|io)\b/ },
  {
    what: 'the host of a Debian or Ubuntu mirror',
    pattern: /\b(?:deb|security|snapshot|archive|ports)\.[a-z]+\.(?:org|com)\b/,
  },
];

describe('the repository', () => {
  it.each(forbidden)('names nowhere $what', ({ pattern }) => {
    const hits = textFiles().flatMap(({ file, lines }) =>
      lines.flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1} ${line.trim().slice(0, 120)}`] : [])),
    );
    expect(hits).toEqual([]);
  });

  it('has files to look at', () => {
    expect(textFiles().map(({ file }) => file)).toContain('package.json');
  });
});

function textFiles(): { file: string; lines: string[] }[] {
  return projectFiles()
    .map((file) => ({ file, text: readText(file) }))
    .filter(({ text }) => !text.includes('\0')) // a picture or another binary
    .map(({ file, text }) => ({ file, lines: text.split('\n') }));
}
