import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('./scripts/', import.meta.url);

/**
 * The text of every Lua file of `scripts`, by its path without `.lua`. This file reads them where the sources are run; the
 * build writes it anew with the texts inside, so that the package needs no file at run time and can be bundled.
 */
export const SCRIPT_TEXTS: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.lua'))
    .map((file) => [file.replaceAll('\\', '/').slice(0, -'.lua'.length), readFileSync(new URL(file, FOLDER), 'utf8')]),
);
