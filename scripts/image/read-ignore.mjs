/**
 * Whether a path goes to the builder, as Docker reads `.dockerignore`: the last line that matches the path or a folder above
 * it decides, and `!` takes it back in.
 *
 * @param {string} text the content of `.dockerignore`
 * @returns {(file: string) => boolean}
 */
export function readIgnore(text) {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ takes: line.startsWith('!'), pattern: toPattern(line.replace(/^!/, '')) }));
  return (file) => {
    const above = file.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
    return rules.findLast(({ pattern }) => above.some((path) => pattern.test(path)))?.takes ?? true;
  };
}

/** @param {string} glob */
function toPattern(glob) {
  const source = glob
    .replace(/^\/|\/$/g, '')
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*\*\/|\*\*|\*|\?/g, (sign) => ({ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' })[sign] ?? '[^/]');
  return new RegExp(`^${source}$`);
}
