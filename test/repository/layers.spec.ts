import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ImportSite,
  filesBelow,
  forwardedNames,
  importsOf,
  readText,
  resolveLocal,
} from '../support/source-tree.js';

const src = 'libs/task-streams/src';
const entryPoints = new Set(
  ['', 'admin/', 'health/', 'prometheus/', 'otel/'].map((folder) => `${src}/${folder}index.ts`),
);

/**
 * Which folders a folder may import, besides itself. From the ground up: what stands further down knows nothing of what
 * stands above it. `contracts:types` allows its types only. The ground floor, `time`, is everybody's.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = floors([
  ['time', []],
  ['task', []],
  ['policy', ['task']],
  ['validation', ['task']],
  ['contracts', ['task']],
  ['options', ['policy', 'task', 'contracts:types']],
  ['watch', ['contracts', 'policy', 'task']],
  ['pipeline', ['contracts', 'policy', 'task', 'options', 'validation']],
  ['handlers', ['pipeline', 'watch', 'contracts', 'policy', 'task', 'options', 'validation']],
  ['operate', ['contracts', 'policy', 'task', 'options']],
  ['worker', ['watch', 'contracts', 'options', 'policy', 'task']],
  ['redis', ['contracts', 'options', 'policy', 'task']],
  ['producer', ['operate', 'watch', 'contracts', 'options', 'policy', 'task', 'validation']],
  ['dead-letters', ['operate', 'handlers', 'worker', 'watch', 'contracts', 'options', 'policy', 'task']],
  ['transport', ['handlers', 'pipeline', 'worker', 'watch', 'contracts', 'options', 'policy', 'task']],
  // The places that join ports with redis/: with Nest, and for a program that only looks after queues.
  ['module', 'everything below'],
  ['admin', ['producer', 'dead-letters', 'operate', 'redis', 'watch', 'contracts', 'options', 'policy', 'task']],
  // Entry points of their own with optional peers; they see ports and the status of the workers.
  ['health', ['operate', 'worker', 'contracts', 'options', 'policy', 'task']],
  ['prometheus', ['operate', 'watch', 'worker', 'contracts', 'options', 'policy', 'task']],
  ['otel', ['watch', 'worker', 'contracts', 'options', 'policy', 'task']],
]);

/** Packages that a folder must not import. Types of ioredis are allowed where only "value" is forbidden. */
const packageRules: readonly { folders: readonly string[]; forbids: (site: ImportSite) => boolean; because: string }[] =
  [
    {
      folders: ['time', 'task', 'policy'],
      forbids: ({ specifier }) => !specifier.startsWith('node:'),
      because: 'it is pure TypeScript: no package but node:*',
    },
    {
      folders: ['contracts', 'watch', 'pipeline', 'handlers', 'worker'],
      forbids: ({ specifier }) => isPackage(specifier, 'ioredis'),
      because: 'it must not know which server there is',
    },
    {
      folders: Object.keys(mayImport).filter((folder) => folder !== 'redis'),
      forbids: ({ specifier, isTypeOnly }) => isPackage(specifier, 'ioredis') && !isTypeOnly,
      because: 'only redis/ talks to the server',
    },
    {
      folders: Object.keys(mayImport).filter((folder) => folder !== 'prometheus'),
      forbids: ({ specifier }) => isPackage(specifier, 'prom-client'),
      because: 'it is optional: only who imports nestjs-task-streams/prometheus has it',
    },
    {
      folders: Object.keys(mayImport).filter((folder) => folder !== 'otel'),
      forbids: ({ specifier }) => specifier.startsWith('@opentelemetry/'),
      because: 'it is optional: only who imports nestjs-task-streams/otel has it',
    },
    {
      folders: ['worker'],
      forbids: ({ specifier }) => specifier.startsWith('@nestjs/'),
      because: 'it knows no Nest: it calls a TaskExecutor',
    },
  ];

const files = filesBelow(src, '.ts');
const sources = files.filter((file) => !isSpec(file));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe('the layers of the library', () => {
  it('has sources to look at', () => {
    expect(sources.length).toBeGreaterThan(0);
  });

  it('keeps every file in a folder that has a floor, or makes it an entry point', () => {
    const homeless = files.filter((file) => !(folderOf(file) in mayImport) && !entryPoints.has(withoutSpec(file)));
    expect(homeless).toEqual([]);
  });

  it('imports no folder upwards or sideways', () => {
    expect(files.flatMap((file) => sitesOf(file).flatMap((site) => faultOfLayer(file, site)))).toEqual([]);
  });

  it('names only files that exist', () => {
    const dangling = files.flatMap((file) =>
      sitesOf(file)
        .filter(({ specifier }) => specifier.startsWith('.') && !resolveLocal(file, specifier))
        .map((site) => `${at(file, site)} ${site.specifier}`),
    );
    expect(dangling).toEqual([]);
  });

  it('leaves packages to the folders they belong to', () => {
    const faults = sources.flatMap((file) =>
      packageRules
        .filter((rule) => rule.folders.includes(folderOf(file)))
        .flatMap((rule) =>
          sitesOf(file)
            .filter((site) => !site.specifier.startsWith('.') && rule.forbids(site))
            .map((site) => `${at(file, site)} ${folderOf(file)}/ may not import ${site.specifier}: ${rule.because}`),
        ),
    );
    expect(faults).toEqual([]);
  });

  it('reaches into the insides of Nest in nest-internals.ts only', () => {
    const faults = files
      .filter((file) => !/\/nest-internals(\.spec)?\.ts$/.test(file))
      .flatMap((file) =>
        sitesOf(file)
          .filter(isDeepNestImport)
          .map((site) => `${at(file, site)} ${site.specifier}`),
      );
    expect(faults).toEqual([]);
  });

  it('has no circle of files', () => {
    expect(circles()).toEqual([]);
  });

  it('re-exports only in entry points, and there by name', () => {
    const faults = sources.flatMap((file) => {
      const reexports = sitesOf(file).filter(({ kind }) => kind !== 'import');
      const unwanted = entryPoints.has(file) ? reexports.filter(({ kind }) => kind === 'reexport-all') : reexports;
      const forwarded = entryPoints.has(file) ? [] : forwardedNames(file);
      return [
        ...unwanted.map((site) => `${at(file, site)} re-exports ${site.specifier}`),
        ...forwarded.map((name) => `${file} imports and exports ${name}`),
      ];
    });
    expect(faults).toEqual([]);
  });
});

describe('the sample app', () => {
  it('uses the library by the name of its package, as an app does', () => {
    const faults = filesBelow('src', '.ts').flatMap((file) =>
      importsOf(file)
        .filter((site) => resolveLocal(file, site.specifier)?.startsWith('libs/'))
        .map((site) => `${at(file, site)} ${site.specifier}`),
    );
    expect(faults).toEqual([]);
  });
});

describe('the command line', () => {
  const cli = filesBelow('libs/task-streams-cli/src', '.ts');

  it('uses the library by the name of its package, and at run time only its entry for such programs', () => {
    const faults = cli.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier, isTypeOnly }) => isUnwanted(file, specifier, isTypeOnly))
        .map((site) => `${at(file, site)} ${site.specifier}`),
    );
    expect(cli.length).toBeGreaterThan(20);
    expect(faults).toEqual([]);
  });

  it('has one way to the terminal', () => {
    const printers = cli.filter((file) => !isSpec(file) && /process\.stdout/.test(readText(file)));
    expect(printers).toEqual(['libs/task-streams-cli/src/main.ts', 'libs/task-streams-cli/src/output/output.ts']);
  });

  function isUnwanted(file: string, specifier: string, isTypeOnly: boolean): boolean {
    if (specifier.startsWith('.')) return !resolveLocal(file, specifier)?.startsWith('libs/task-streams-cli/');
    if (isPackage(specifier, 'ioredis')) return true;
    return isPackage(specifier, 'nestjs-task-streams') && specifier !== 'nestjs-task-streams/admin' && !isTypeOnly;
  }
});

function faultOfLayer(file: string, site: ImportSite): string[] {
  const target = resolveLocal(file, site.specifier);
  const from = folderOf(file);
  // The root entry point stands above everything; an entry point in a folder belongs to its folder.
  if (target === undefined || from === '') return [];
  const to = folderOf(target);
  if (from === to) return [];
  const allowed = mayImport[from] ?? [];
  if (allowed.includes(to) || (site.isTypeOnly && allowed.includes(`${to}:types`))) return [];
  // A spec is imported by nobody, so it may stand on test/support wherever it lives.
  if (isSpec(file) && target.startsWith('test/support/')) return [];
  return [`${at(file, site)} ${from}/ may not import ${to === '' ? 'an entry point' : `${to}/`}`];
}

/** Every circle once, as the chain of its files. Types count: two files that need each other are one thought. */
function circles(): string[] {
  const finished = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, chain: readonly string[]): void => {
    const start = chain.indexOf(file);
    if (start >= 0) {
      found.push([...chain.slice(start), file].join(' -> '));
      return;
    }
    if (finished.has(file)) return;
    for (const { specifier } of sitesOf(file)) {
      const target = resolveLocal(file, specifier);
      if (target) walk(target, [...chain, file]);
    }
    finished.add(file);
  };
  sources.forEach((file) => walk(file, []));
  return found;
}

function floors(table: readonly (readonly [string, readonly string[] | 'everything below'])[]) {
  return Object.fromEntries(
    table.map(([room, below], i) => [
      room,
      below === 'everything below' ? table.slice(0, i).map(([name]) => name) : ['time', ...below],
    ]),
  );
}

/** The first folder below the sources; '' for a file that lies directly in them. */
function folderOf(file: string): string {
  const relative = path.posix.relative(src, file);
  return relative.includes('/') ? relative.slice(0, relative.indexOf('/')) : '';
}

function sitesOf(file: string): readonly ImportSite[] {
  return imports.get(file) ?? [];
}

function isSpec(file: string): boolean {
  return file.endsWith('.spec.ts');
}

function withoutSpec(file: string): string {
  return file.replace(/\.spec\.ts$/, '.ts');
}

function isPackage(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`);
}

/** `@nestjs/core/injector/…`: not covered by Nest's promise of compatibility. */
function isDeepNestImport({ specifier }: ImportSite): boolean {
  return /^@nestjs\/[^/]+\//.test(specifier);
}

function at(file: string, { line }: ImportSite): string {
  return `${file}:${line}`;
}
