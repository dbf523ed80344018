import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const documents = [
  'README.md',
  'libs/task-streams/README.md',
  ...readdirSync(new URL('docs/', root))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];
const examples = readdirSync(new URL('docs/examples/', root)).map((file) => read(`docs/examples/${file}`));

function snippetsOf(file: string): string[] {
  return [...read(file).matchAll(/```ts\n(.*?)```/gs)].map((match) => (match[1] as string).trimEnd());
}

describe('the code in the documents', () => {
  it('is there to be checked', () => {
    expect(documents.flatMap(snippetsOf).length).toBeGreaterThan(5);
  });

  it.each(documents.flatMap((file) => snippetsOf(file).map((snippet) => [file, snippet] as const)))(
    'in %s stands in an example that is compiled: %s',
    (_, snippet) => {
      expect(examples.some((example) => example.includes(snippet))).toBe(true);
    },
  );
});
