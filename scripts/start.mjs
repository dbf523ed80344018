// npm start: needs Node and nothing else, so it uses no dependency before it has installed them.
import { runScript } from './lib/run-script.mjs';

const usage = `npm start               install and build what is missing, then run Redis, the web process and two workers
npm start -- --smoke    the same on a free port with fresh data, run the smoke script against it, and stop

Variables, also from a .env file: REDIS_URL (use that server), HOST (127.0.0.1), PORT (3000); for --smoke TEST_REDIS_URL.`;

// Read first: npm may be ended while we install or build, and then we have another parent.
const parentPid = process.ppid;

runScript(usage, async (args, print) => {
  const unknown = args.find((arg) => arg !== '--smoke');
  if (unknown) throw new Error(`Unknown argument ${unknown}.\n${usage}`);
  const { ensureBuilt } = await import('./lib/build.mjs');
  const { loadEnvFile } = await import('./lib/env-file.mjs');
  const { ensureInstalled } = await import('./lib/install.mjs');
  const { runApp } = await import('./start/run-app.mjs');
  loadEnvFile();
  await ensureInstalled(print);
  await ensureBuilt(print);
  return runApp({ isSmoke: args.includes('--smoke'), parentPid, print });
});
