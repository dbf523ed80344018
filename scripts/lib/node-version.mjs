// This file and its importers run before the version is known: keep to syntax and APIs that old Node versions have.

/** The same range as "engines" in package.json. */
export const supportedNode = '20.19 or newer of 20, 22.12 or newer of 22, or any 24 and up';

/**
 * @param {string} version for example `20.20.2`
 * @returns {boolean}
 */
export function isSupportedNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 20) return minor >= 19;
  if (major === 22) return minor >= 12;
  return major >= 24;
}

/** Ends the process with one line when this Node cannot run the project. */
export function requireSupportedNode() {
  if (isSupportedNode(process.versions.node)) return;
  console.error(
    `Node ${process.versions.node} is not supported: install Node ${supportedNode}, then run the command again.`,
  );
  process.exit(1);
}
