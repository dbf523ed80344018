// npm run test:nest-11: needs Node and nothing else, so it uses no dependency before it has installed them.
import { runScript } from './lib/run-script.mjs';

const usage = `npm run test:nest-11            the library's unit and integration tests on Nest 11
npm run test:nest-11 -- ARGS    hands ARGS to vitest, for example: -t 'shutdown'

Installs Nest 11 as test/nest-11 says, below .cache. npm test runs those of them that touch Nest.`;

runScript(usage, async (args, print) => {
  const { ensureInstalled } = await import('./lib/install.mjs');
  await ensureInstalled(print);
  const { runOnNest11 } = await import('./test/run-nest-11.mjs');
  const { passed, failed } = await runOnNest11({ isWhole: true, vitestArgs: args, print });
  return failed === 0 && passed > 0 ? 0 : 1;
});
