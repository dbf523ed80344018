// npm test: needs Node and nothing else, so it uses no dependency before it has installed them.
import { requireSupportedNode } from './lib/node-version.mjs';

const usage = `npm test                 everything: format, lint, types, build, all tests
npm run test:fast        types and the tests that need no build and no long wait
npm test -- --observability   everything, and npm run test:observability, counted together
npm test -- ARGS         hands ARGS to vitest, for example: npm test -- --project unit

TEST_REDIS_URL names a Redis to test against (it is written to); without it the tests start servers of their own.`;

const OWN = ['--fast', '--observability'];

async function main() {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(usage);
    return 0;
  }
  const { runTests } = await import('./test/run-tests.mjs');
  return runTests({
    isFast: args.includes('--fast'),
    isObserving: args.includes('--observability'),
    vitestArgs: args.filter((arg) => !OWN.includes(arg)),
    print: (line) => console.log(line),
  });
}

requireSupportedNode();
main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error instanceof Error ? error.message : error);
    console.log('0 passed, 1 failed');
    process.exit(1);
  },
);
