/** Packages for linting and formatting, which a scaffold has and nothing here runs. */
export const notNeeded = /eslint|oxlint|prettier|^globals$|@nestjs\/mau|coverage/;

const tools = { '@swc/cli': '^0.8.0', '@swc/core': '^1.15.0', esbuild: '^0.28.0', webpack: '^5.100.0' };

/**
 * A project as `nest new` makes it, and what a user of this library adds.
 *
 * @typedef {object} ScaffoldKind
 * @property {string} name
 * @property {string} cli the version of `@nestjs/cli`
 * @property {boolean} isCommonJs else ES modules
 * @property {Readonly<Record<string, string>>} dependencies
 * @property {Readonly<Record<string, string>>} devDependencies
 */

/** @type {readonly ScaffoldKind[]} */
export const scaffoldKinds = [
  {
    name: 'nest-11-commonjs-jest',
    cli: '11.0.24',
    isCommonJs: true,
    dependencies: {
      '@nestjs/microservices': '^11.0.0',
      '@nestjs/terminus': '^11.0.0',
      '@opentelemetry/api': '^1.9.0',
      'class-transformer': '^0.5.1',
      'class-validator': '^0.14.0',
      ioredis: '^5.4.0',
      'prom-client': '^15.0.0',
    },
    devDependencies: tools,
  },
  {
    name: 'nest-12-esm-vitest',
    cli: '12.0.8',
    isCommonJs: false,
    dependencies: {
      '@nestjs/microservices': '^12.0.0',
      '@nestjs/terminus': '^12.0.0',
      '@opentelemetry/api': '^1.9.0',
      'class-transformer': '^0.5.1',
      'class-validator': '^0.15.0',
      ioredis: '^6.0.0',
      'prom-client': '^15.0.0',
    },
    devDependencies: tools,
  },
];
