/**
 * @typedef {object} Instruction
 * @property {string} kind `FROM`, `COPY`, `RUN` …
 * @property {string} text what follows it
 *
 * @typedef {object} Stage
 * @property {string} image
 * @property {string} name empty where it has none
 * @property {readonly Instruction[]} steps what follows its FROM
 *
 * @typedef {object} Copy
 * @property {string | undefined} from the stage it copies from; undefined for the build context
 * @property {readonly string[]} sources
 * @property {string} target
 */

/**
 * The stages of a Dockerfile. Reads what this project writes: no continued lines but those of `\`, no here-documents, no JSON
 * form of COPY.
 *
 * @param {string} text
 * @returns {Stage[]}
 */
export function readDockerfile(text) {
  /** @type {{ image: string, name: string, steps: Instruction[] }[]} */
  const stages = [];
  for (const line of text.replace(/\\\n/g, ' ').split('\n')) {
    const [, kind = '', rest = ''] = /^\s*([A-Za-z]+)\s+(.*?)\s*$/.exec(line) ?? [];
    if (kind === '') continue;
    if (kind === 'FROM') {
      const [image = '', , name = ''] = rest.split(/\s+/);
      stages.push({ image, name, steps: [] });
    } else stages.at(-1)?.steps.push({ kind, text: rest });
  }
  return stages;
}

/**
 * @param {Stage} stage
 * @returns {Copy[]}
 */
export function copiesOf({ steps }) {
  return steps.filter(({ kind }) => kind === 'COPY').map(({ text }) => readCopy(text));
}

/**
 * @param {string} text what follows COPY
 * @returns {Copy}
 */
export function readCopy(text) {
  const words = text.split(/\s+/);
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}
