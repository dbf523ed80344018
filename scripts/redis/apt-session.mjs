import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { capture } from '../lib/run-command.mjs';

// Hooks of the machine's own configuration touch the system (package caches, desktop catalogues): not for a private run.
const hooks = [
  'APT::Update::Pre-Invoke',
  'APT::Update::Post-Invoke',
  'APT::Update::Post-Invoke-Success',
  'DPkg::Pre-Invoke',
  'DPkg::Post-Invoke',
  'DPkg::Pre-Install-Pkgs',
];

/**
 * apt with the machine's package sources and keys, but with its lists, its cache and its idea of what is installed in a
 * folder of its own: needs no root, no earlier `apt-get update`, and changes nothing outside that folder.
 */
export class AptSession {
  #configFile;
  #dir;
  #env;

  /**
   * @param {string} dir an empty folder
   * @param {NodeJS.ProcessEnv} env
   */
  constructor(dir, env) {
    this.#dir = dir;
    this.#configFile = path.join(dir, 'apt.conf');
    // The answers are parsed, so they must be in English.
    this.#env = { ...env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  }

  get archivesDir() {
    return path.join(this.#dir, 'cache', 'archives');
  }

  /** Reads the package lists. A source that does not answer is no failure: another may have the package. */
  async update() {
    await mkdir(path.join(this.#dir, 'lists', 'partial'), { recursive: true });
    await mkdir(path.join(this.archivesDir, 'partial'), { recursive: true });
    await writeFile(path.join(this.#dir, 'status'), '');
    await writeFile(this.#configFile, this.#config());
    return this.#run('apt-get', ['-q', 'update'], 120_000);
  }

  /**
   * @param {readonly string[]} packages
   * @returns {Promise<Map<string, string>>} the version that would be installed, by package; absent ones are left out
   */
  async candidates(packages) {
    const { stdout } = await this.#run('apt-cache', ['policy', ...packages], 60_000);
    /** @type {Map<string, string>} */
    const found = new Map();
    for (const block of stdout.split(/^(?=\S)/m)) {
      const name = /^(\S+):$/m.exec(block)?.[1];
      const version = /^\s+Candidate: (\S+)$/m.exec(block)?.[1];
      if (name && version && version !== '(none)') found.set(name, version);
    }
    return found;
  }

  /**
   * Downloads a package with everything it depends on. apt checks each file against the signed index.
   *
   * @param {string} name
   */
  async download(name) {
    return this.#run('apt-get', ['-q', '--yes', '--download-only', 'install', name], 300_000);
  }

  /**
   * Downloads a package without what it depends on, for a program that needs nothing but the C library.
   *
   * @param {string} name
   */
  async downloadAlone(name) {
    return this.#run('apt-get', ['-q', 'download', name], 300_000, this.archivesDir);
  }

  /**
   * @param {string} program
   * @param {readonly string[]} args
   * @param {number} timeoutMs
   * @param {string} [cwd]
   */
  #run(program, args, timeoutMs, cwd) {
    // The configuration comes by -c: apt reads it last, so that #clear finds the hooks of the machine.
    return capture(program, ['-c', this.#configFile, ...args], { env: this.#env, timeoutMs, ...(cwd ? { cwd } : {}) });
  }

  #config() {
    const dir = JSON.stringify(this.#dir).slice(1, -1);
    return [
      ...hooks.map((hook) => `#clear ${hook};`),
      `Dir::State "${dir}";`,
      `Dir::State::Lists "${dir}/lists";`,
      // An empty status file: no library counts as installed, so every one that the server needs is fetched.
      `Dir::State::status "${dir}/status";`,
      `Dir::Cache "${dir}/cache";`,
      `Dir::Cache::archives "${dir}/cache/archives";`,
      `Dir::Log "${dir}";`,
      `APT::Sandbox::User "${userInfo().username}";`,
      'APT::Get::AllowUnauthenticated "false";',
      'APT::Install-Recommends "false";',
      'APT::Install-Suggests "false";',
      'Acquire::AllowInsecureRepositories "false";',
      'Acquire::Languages "none";',
      'Acquire::Retries "2";',
      'Acquire::http::Timeout "20";',
      'Acquire::https::Timeout "20";',
      '',
    ].join('\n');
  }
}
