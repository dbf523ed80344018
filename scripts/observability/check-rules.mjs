import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../lib/paths.mjs';
import { capture } from '../lib/run-command.mjs';

const folder = path.join(root, 'deploy', 'observability', 'prometheus');

/**
 * Lets promtool check the configuration and the alert rules and run their unit tests.
 *
 * @param {string} promtool
 * @param {(line: string) => void} log
 * @returns {Promise<number>} how many checks failed
 */
export async function checkRules(promtool, log) {
  const checks = [
    ['the configuration', ['check', 'config', path.join(folder, 'prometheus.yml')]],
    ['the alert rules', ['check', 'rules', path.join(folder, 'alerts.yml')]],
    ['the tests of the alert rules', ['test', 'rules', path.join(folder, 'alerts.test.yml')]],
  ];
  let failed = await reportUntested(log);
  for (const [what, args] of /** @type {[string, string[]][]} */ (checks)) {
    const { code, stdout, stderr } = await capture(promtool, args);
    log(`${code === 0 ? 'ok  ' : 'FAIL'} ${what}`);
    if (code === 0) continue;
    failed += 1;
    log(`${stdout}${stderr}`.trimEnd());
  }
  return failed;
}

/** @param {(line: string) => void} log */
async function reportUntested(log) {
  const [rules, tests] = await Promise.all(
    ['alerts.yml', 'alerts.test.yml'].map((file) => readFile(path.join(folder, file), 'utf8')),
  );
  const alerts = [...(rules ?? '').matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name);
  const untested = alerts.filter((name) => !['fires', 'is silent'].every((how) => tests?.includes(`${name} ${how}\n`)));
  const isComplete = alerts.length > 0 && untested.length === 0;
  log(
    isComplete
      ? `ok   ${alerts.length} alerts, each with a case that fires and one that is silent`
      : `FAIL no test: ${untested.join(', ')}`,
  );
  return isComplete ? 0 : 1;
}
