import { describe, expect, it } from 'vitest';
import { createProgram } from '../../libs/task-streams-cli/src/program.js';
import { readText } from '../support/source-tree.js';

type Command = ReturnType<typeof createProgram>;

const doc = readText('docs/cli.md');

function leaves(
  command: Command,
  path: readonly string[] = [],
): { readonly path: string; readonly command: Command }[] {
  return command.commands.flatMap((child) => {
    const own = [...path, child.name()];
    return child.commands.length > 0 ? leaves(child, own) : [{ path: own.join(' '), command: child }];
  });
}

const commands = leaves(createProgram());

/** The part of the page about a command. */
function sectionOf(path: string): string | undefined {
  const [, rest] = doc.split(`\n### \`${path}`);
  return rest?.split('\n### ')[0]?.split('\n## ')[0];
}

describe('docs/cli.md', () => {
  it('has commands to be held against', () => {
    expect(commands.length).toBeGreaterThan(20);
  });

  it.each(commands.map(({ path, command }) => [path, command] as const))(
    'tells of %s with every option it has',
    (path, command) => {
      const section = sectionOf(path);
      expect(section, `there is no heading of it`).toBeDefined();
      const missing = command.options
        .map(({ long }) => long ?? '')
        .filter((long) => !section?.includes(long) && !isShared(long));
      expect(missing).toEqual([]);
    },
  );

  it('names no option that no command has', () => {
    const known = new Set(
      [createProgram(), ...commands.map(({ command }) => command)].flatMap(({ options }) =>
        options.map(({ long }) => long),
      ),
    );
    const named = [...doc.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([name]) => name);
    expect(named.filter((name) => !known.has(name) && !['--help', '--'].includes(name))).toEqual([]);
  });

  it.each(commands.map(({ path, command }) => [path, command] as const))(
    'and the help of %s has an example',
    (path, command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) });
      command.outputHelp();
      expect(help).toContain(`$ task-streams ${path}`);
    },
  );
});

/** Said once for all commands that have it. */
function isShared(option: string): boolean {
  const shared = doc.split('\n## ').find((part) => part.startsWith('Options of many commands')) ?? '';
  return shared.includes(option);
}
