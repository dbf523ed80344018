// npm run bench: needs Node and nothing else, so it uses no dependency before it has installed them.
import { runScript } from './lib/run-script.mjs';

const usage = `npm run bench                           every mode, five rounds each (more than an hour on two cores)
npm run bench -- --quick                fewer tasks, three rounds
npm run bench -- --only process-c100    only these modes, separated by commas
npm run bench -- --sides bullmq         only these sides; ratios need nest-bullmq
npm run bench -- --runs 7               that many rounds
npm run bench -- --tasks 1000           that many tasks a run, to see whether everything works
npm run bench -- --nest 11              on the oldest Nest that is supported, and @nestjs/bullmq 11
npm run bench -- --json FILE            writes every run there too
npm run bench -- --from a.json,b.json   measures nothing and reports what --json wrote, of several runs as of one
npm run bench -- --list                 names the modes
npm run bench -- --write-docs           writes docs/performance-results.md, docs/performance.svg and the medians in
                                        bench/floors.json

Starts servers and processes of its own on the loopback interface and ends them. The results go to bench/results. Exit
code 1 when a run did not do its work, whatever it measured. What is compared, and how: bench/README.md.`;

// Ends by an exit of its own, so that the servers are ended and their folders deleted.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

runScript(usage, async (args, print) => {
  const { runBench } = await import('../bench/cli.mjs');
  await runBench(args, print);
  return 0;
});
