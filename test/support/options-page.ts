import ts from 'typescript';
import { resolveOptions } from '../../libs/task-streams/src/options/resolve-options.js';
import { readText } from './source-tree.js';

const OPTIONS = 'libs/task-streams/src/options/task-streams-options.ts';
const HANDLERS = 'libs/task-streams/src/options/handler-options.ts';
const TASKS = 'libs/task-streams/src/task/envelope.ts';
const ENQUEUE = 'libs/task-streams/src/producer/enqueue-options.ts';

/** Where an interface is. `path` leads to the defaults of the module, where it has them. */
interface Place {
  readonly file: string;
  readonly name: string;
  readonly path?: readonly string[];
}

const tables: readonly (Place & { readonly title: string })[] = [
  { title: 'The module: `forRoot(options)`', file: OPTIONS, name: 'TaskStreamsOptions', path: [] },
  { title: 'A handler: `@TaskHandler(task, options)`', file: HANDLERS, name: 'TaskHandlerOptions' },
  { title: 'A task: `enqueue(task, payload, options)`', file: ENQUEUE, name: 'EnqueueOptions' },
];

/** Options that have options: their rows follow, under the name that leads there. */
const groups: Readonly<Record<string, Place>> = {
  'TaskStreamsOptions.connection': { file: OPTIONS, name: 'ConnectionOptions' },
  'TaskStreamsOptions.queues': { file: OPTIONS, name: 'QueueOptions' },
  'TaskStreamsOptions.retry': { file: HANDLERS, name: 'RetryOptions', path: ['retry'] },
  'TaskStreamsOptions.timing': { file: OPTIONS, name: 'TimingOptions', path: ['timing'] },
  'TaskStreamsOptions.limits': { file: OPTIONS, name: 'LimitOptions', path: ['limits'] },
  'TaskStreamsOptions.retention': { file: OPTIONS, name: 'RetentionOptions', path: ['retention'] },
  'TaskHandlerOptions.idempotency': { file: HANDLERS, name: 'IdempotencyOptions' },
  'TaskHandlerOptions.deadLetter': { file: HANDLERS, name: 'DeadLetterOptions' },
};

/** Interfaces that extend another one. */
const bases: Readonly<Record<string, Place>> = { EnqueueOptions: { file: TASKS, name: 'TaskOptions' } };

const HEAD = `# Options

Every option with its type, unit and default. A test writes this page from the comments in the sources and from the defaults that
the library resolves: change those, then run \`npx vitest run --project repository test/repository/options-page.spec.ts --update\`.

A task says what its sender gave it; where it says nothing, its handler; where that says nothing, the module. A bad value or an
unknown name fails the boot with its path. \`retry\` of a handler has the same members as that of the module. What the options do
together is in [usage.md](usage.md).
`;

/** The text of `docs/options.md`. */
export function optionsPage(): string {
  return [HEAD, ...tables.map(table)].join('\n');
}

function table({ title, ...place }: Place & { readonly title: string }): string {
  const head = ['| option | type | unit | default | |', '|---|---|---|---|---|'];
  return [`## ${title}`, '', ...head, ...rowsOf(place, ''), ''].join('\n');
}

function rowsOf({ file, name, path }: Place, prefix: string): string[] {
  return membersOf(file, name).flatMap((member) => {
    const inside = groups[`${name}.${member.name}`];
    const below = member.name === 'queues' ? 'queues.<name>.' : `${member.name}.`;
    return [row(member, { prefix, path }), ...(inside ? rowsOf(inside, below) : [])];
  });
}

interface Member {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
}

function row({ name, type, comment }: Member, { prefix, path }: { prefix: string; path: Place['path'] }): string {
  const [told, text] = splitDefault(comment);
  const resolved = path && show(name, valueAt([...path, name]));
  const cells = [`\`${prefix}${name}\``, `\`${type}\``, unitOf(name), resolved ?? told, text];
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
}

/** A comment without the sentence that tells the default, and what that says. */
function splitDefault(comment: string): readonly [string, string] {
  const found = /(?:^|(?<=[.;] ))Default:? (.+?)\.(?= [A-Z]|$)/.exec(comment);
  if (!found) return ['', comment];
  return [found[1] ?? '', comment.replace(found[0], '').replaceAll(/ {2,}/g, ' ').trim()];
}

function unitOf(name: string): string {
  if (name.endsWith('Ms')) return 'ms';
  return name.endsWith('Bytes') ? 'bytes' : '';
}

function valueAt(path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], resolveOptions({}));
}

/** Undefined for what only its comment can tell. */
function show(name: string, value: unknown): string | undefined {
  if (typeof value === 'number' && name.endsWith('Ms')) return `\`${value}\`${inWords(value)}`;
  if (value === 1_048_576) return `\`${value}\` (1 MiB)`;
  return ['number', 'boolean', 'string'].includes(typeof value) ? `\`${String(value)}\`` : undefined;
}

function inWords(ms: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const;
  const unit = units.find(([, length]) => ms >= length && ms % length === 0);
  return unit ? ` (${ms / unit[1]} ${unit[0]})` : '';
}

function membersOf(file: string, name: string): Member[] {
  const source = ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest, true);
  const found = source.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
  if (!found || !ts.isInterfaceDeclaration(found)) throw new Error(`${file} has no interface ${name}`);
  const base = bases[name];
  const own = found.members.filter(ts.isPropertySignature).map((member) => ({
    name: member.name.getText(),
    type: (member.type?.getText() ?? 'unknown').replaceAll(/\s+/g, ' '),
    comment: commentOf(member),
  }));
  return base ? [...own, ...membersOf(base.file, base.name)] : own;
}

function commentOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node);
  const text = doc && ts.getTextOfJSDocComment(doc.comment);
  if (!text) throw new Error(`${node.getText()} has no comment`);
  return text.replaceAll(/\s+/g, ' ');
}
