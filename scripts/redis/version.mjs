/**
 * @typedef {object} ServerVersion
 * @property {'Redis' | 'Valkey'} name
 * @property {string} version
 */

/** Redis 7.0 brought what the scripts of the library rely on; Valkey forked later, its first supported line is 8.0. */
export const minimumVersions = Object.freeze({ Redis: '7.0', Valkey: '8.0' });

/**
 * @param {string} text what `redis-server --version` printed
 * @returns {ServerVersion | undefined} undefined when the text names no version
 */
export function parseVersionLine(text) {
  const version = /\bv=(\d+(?:\.\d+)*)/.exec(text)?.[1];
  return version ? { name: /valkey/i.test(text) ? 'Valkey' : 'Redis', version } : undefined;
}

/**
 * @param {Record<string, string>} info the fields of `INFO server`
 * @returns {ServerVersion | undefined}
 */
export function versionFromInfo(info) {
  // Valkey goes on to report the last Redis version it is compatible with, so its own field comes first.
  if (info['valkey_version']) return { name: 'Valkey', version: info['valkey_version'] };
  return info['redis_version'] ? { name: 'Redis', version: info['redis_version'] } : undefined;
}

/**
 * @param {ServerVersion} server
 * @returns {string | undefined} why the server cannot be used, or undefined when it can
 */
export function whyTooOld({ name, version }) {
  const minimum = minimumVersions[name];
  if (isAtLeast(version, minimum)) return undefined;
  return `${name} ${version} is too old: ${name} ${minimum} or newer is needed`;
}

/**
 * @param {string} version
 * @param {string} minimum
 */
function isAtLeast(version, minimum) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minimumMajor = 0, minimumMinor = 0] = minimum.split('.').map(Number);
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor);
}
