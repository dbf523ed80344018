import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadEnvFile as loadInto } from 'node:process';
import { root } from './paths.mjs';

/** Reads .env as the app does, so that a REDIS_URL or PORT there counts for the launcher too. The environment wins. */
export function loadEnvFile() {
  const file = path.join(root, '.env');
  if (existsSync(file)) loadInto(file);
}
