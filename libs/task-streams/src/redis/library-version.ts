import { readFileSync } from 'node:fs';

const PACKAGE = new URL('../../package.json', import.meta.url);
const versions = new Map<string, string>();

/** The version of this library, from its package; `unknown` where it was bundled into something else. */
export function libraryVersion(file: URL = PACKAGE): string {
  let version = versions.get(file.href);
  if (version === undefined) versions.set(file.href, (version = readVersion(file)));
  return version;
}

/** Only for showing it, so nothing that is wrong with the file may stop anybody. */
function readVersion(file: URL): string {
  try {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    return name === 'nestjs-task-streams' ? String(version) : 'unknown';
  } catch {
    return 'unknown';
  }
}
