import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** One place where a source file names another module. */
export interface ImportSite {
  /** As written: `./x.js`, `../task/y.js`, `node:fs`, `@nestjs/common`. */
  readonly specifier: string;
  readonly line: number;
  /** `import` also stands for `import()`, `require` and types written as `import('x').Y`. */
  readonly kind: 'import' | 'reexport' | 'reexport-all';
  /** Whether nothing of it is left at run time. */
  readonly isTypeOnly: boolean;
}

const parsed = new Map<string, ts.SourceFile>();
const generatedFolders = new Set(['.cache', '.git', 'coverage', 'dist', 'node_modules']);

/**
 * The files below a folder whose names end in `suffix`, without what tools wrote; paths are relative to the root, with `/`.
 */
export function filesBelow(folder: string, suffix: string): string[] {
  const start = path.join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { withFileTypes: true })
    .flatMap((entry) => {
      const name = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) return generatedFolders.has(entry.name) ? [] : filesBelow(name, suffix);
      return entry.name.endsWith(suffix) ? [name] : [];
    })
    .toSorted();
}

/** Every file that is or could be committed: tracked ones, and new ones that git does not ignore. */
export function projectFiles(): string[] {
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    // A tracked file that somebody just deleted is still listed.
    return listed.split('\0').filter((file) => file !== '' && existsSync(path.join(root, file)));
  } catch {
    return filesBelow('.', ''); // unpacked from an archive, without git
  }
}

/** The text of a file, by its path relative to the root. */
export function readText(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** How many lines a text has; a line break at its end starts no further line. */
export function countLines(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

/** Every module that a TypeScript file names. */
export function importsOf(file: string): ImportSite[] {
  const source = parse(file);
  const sites: ImportSite[] = [];
  const visit = (node: ts.Node): void => {
    const site = readSite(node);
    if (site) sites.push({ ...site, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sites;
}

/** Names that a file imports and then exports under `export { … }`: a re-export in two steps. */
export function forwardedNames(file: string): string[] {
  const source = parse(file);
  const imported = new Set<string>();
  const forwarded: string[] = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) boundNames(statement).forEach((name) => imported.add(name));
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier || !statement.exportClause) continue;
    if (!ts.isNamedExports(statement.exportClause)) continue;
    forwarded.push(...statement.exportClause.elements.map((element) => (element.propertyName ?? element.name).text));
  }
  return forwarded.filter((name) => imported.has(name));
}

/** The TypeScript file that a relative specifier means, relative to the root; undefined for a package or a missing file. */
export function resolveLocal(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const target = path.posix.join(path.posix.dirname(from), specifier.replace(/\.js$/, '.ts'));
  return existsSync(path.join(root, target)) ? target : undefined;
}

function parse(file: string): ts.SourceFile {
  const known = parsed.get(file);
  if (known) return known;
  const source = ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest, true);
  parsed.set(file, source);
  return source;
}

function readSite(node: ts.Node): Omit<ImportSite, 'line'> | undefined {
  if (ts.isImportDeclaration(node)) {
    return { specifier: textOf(node.moduleSpecifier), kind: 'import', isTypeOnly: isTypeImport(node) };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    const kind = node.exportClause && ts.isNamedExports(node.exportClause) ? 'reexport' : 'reexport-all';
    return { specifier: textOf(node.moduleSpecifier), kind, isTypeOnly: node.isTypeOnly };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: textOf(node.argument.literal), kind: 'import', isTypeOnly: true };
  }
  if (ts.isExternalModuleReference(node)) {
    return { specifier: textOf(node.expression), kind: 'import', isTypeOnly: false };
  }
  if (ts.isCallExpression(node) && isModuleCall(node) && node.arguments[0]) {
    return { specifier: textOf(node.arguments[0]), kind: 'import', isTypeOnly: false };
  }
  return undefined;
}

function isModuleCall({ expression }: ts.CallExpression): boolean {
  if (expression.kind === ts.SyntaxKind.ImportKeyword) return true;
  return ts.isIdentifier(expression) && expression.text === 'require';
}

/** `import type { A }`, and `import { type A, type B }`, of which TypeScript leaves nothing behind either. */
function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false;
  if (importClause.isTypeOnly) return true;
  const bindings = importClause.namedBindings;
  if (importClause.name || !bindings || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
}

function boundNames({ importClause }: ts.ImportDeclaration): string[] {
  const bindings = importClause?.namedBindings;
  const named = bindings && ts.isNamedImports(bindings) ? bindings.elements.map((element) => element.name.text) : [];
  const space = bindings && ts.isNamespaceImport(bindings) ? [bindings.name.text] : [];
  return [...named, ...space, ...(importClause?.name ? [importClause.name.text] : [])];
}

function textOf(node: ts.Node): string {
  return ts.isStringLiteralLike(node) ? node.text : node.getText();
}
