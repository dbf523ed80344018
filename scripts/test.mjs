// npm test: needs Node and nothing else, so it uses no dependency before it has installed them.
import { runScript } from './lib/run-script.mjs';

const usage = `npm test                 everything: format, lint, types, build, all tests
npm run test:fast        types and the tests that need no build and no long wait
npm test -- --observability   everything, and npm run test:observability, counted together
npm test -- ARGS         hands ARGS to vitest, for example: npm test -- --project unit

TEST_REDIS_URL names a Redis to test against (it is written to); without it the tests start servers of their own.`;

const OWN = ['--fast', '--observability'];

runScript(
  usage,
  async (args, print) => {
    const { runTests } = await import('./test/run-tests.mjs');
    return runTests({
      isFast: args.includes('--fast'),
      isObserving: args.includes('--observability'),
      vitestArgs: args.filter((arg) => !OWN.includes(arg)),
      print,
    });
  },
  // Whoever reads the last line for the counts finds one.
  (print) => print('0 passed, 1 failed'),
);
