// npm run test:scaffolds: needs Node and nothing else, so it uses no dependency before it has installed them.
import { runScript } from './lib/run-script.mjs';

const usage = `npm run test:scaffolds                the packed library in projects as nest new makes them, on Node 20, 22 and 24
npm run test:scaffolds -- --quick     the part of it that npm test runs, on this Node
npm run test:scaffolds -- TEXT        the steps whose line has TEXT in it, for example: 'jest, SWC'

Makes a project of Nest 12 (ES modules, Vitest) and one of Nest 11 (CommonJS, Jest) below .cache; gives them a handler, a
unit test and a test against Redis; builds them with tsc, SWC, webpack and esbuild and runs each build.`;

runScript(usage, async (args, print) => {
  const { ensureInstalled } = await import('./lib/install.mjs');
  await ensureInstalled(print);
  const { runScaffolds } = await import('./scaffolds/run-scaffolds.mjs');
  const filter = args.find((arg) => !arg.startsWith('--'));
  const { passed, failed } = await runScaffolds({
    isWhole: !args.includes('--quick'),
    ...(filter === undefined ? {} : { filter }),
    print,
  });
  return failed === 0 && passed > 0 ? 0 : 1;
});
