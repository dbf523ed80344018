// npm run chaos: needs Node and nothing else, so it uses no dependency before it has installed them.
import { runScript } from './lib/run-script.mjs';

const usage = `npm run chaos                        every scenario at full size (about 90 minutes on two cores)
npm run chaos -- --scenario F1,F7    only these; a name that begins with "control-" is a negative control
npm run chaos -- --scale 0.02        smaller counts; 1 unless told
npm run chaos -- --seed 42           the same seed plans the same faults; 42 unless told
npm run chaos -- --only KINDS        these kinds of faults and tasks only, in the mixed runs (M1 to M6)
npm run chaos -- --no-shrink         a mixed run that fails is not run again to find a smaller one that fails too
npm run chaos -- --resume            leaves out what has passed with the same seed, scale and sources
npm run chaos -- --json FILE         writes the whole result there too
npm run chaos -- --write-docs FILES  runs nothing, and makes docs/chaos-results.md of what --json has written, and
                                     docs/chaos-mixed-results.md of the mixed runs in it;
                                     of one seed a later file takes the place of an earlier one
npm run chaos -- --list              names the scenarios

Starts servers and workers of its own on the loopback interface and ends them. Exit code 1 when anything failed.`;

runScript(usage, async (args, print) => {
  const { prepareChaos, runChaos } = await import('./chaos/prepare.mjs');
  return runChaos(await prepareChaos(print), args);
});
