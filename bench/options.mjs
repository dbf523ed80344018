/**
 * @typedef {object} BenchOptions
 * @property {boolean} isQuick
 * @property {boolean} isList
 * @property {boolean} isWritingDocs
 * @property {readonly string[]} only names of modes; empty for all
 * @property {readonly string[]} sides names of sides; empty for all
 * @property {number | undefined} rounds
 * @property {number | undefined} taskCount
 * @property {string | undefined} jsonFile
 * @property {'11' | undefined} nest another Nest than the project's own
 * @property {readonly string[]} from files that `--json` wrote; where there are any, nothing is measured
 */

/**
 * @param {readonly string[]} args
 * @returns {BenchOptions}
 * @throws for an option that is not known or lacks its value
 */
export function parseOptions(args) {
  const rest = [...args];
  /** @type {BenchOptions} */
  const options = {
    ...{ isQuick: false, isList: false, isWritingDocs: false },
    ...{ only: [], sides: [], rounds: undefined, taskCount: undefined, jsonFile: undefined, nest: undefined, from: [] },
  };
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [name = '', ...inline] = arg.split('=');
    const value = () => (inline.length > 0 ? inline.join('=') : rest.shift()) || missingValue(name);
    if (name === '--quick') options.isQuick = true;
    else if (name === '--list') options.isList = true;
    else if (name === '--write-docs') options.isWritingDocs = true;
    else if (name === '--only') options.only = [...options.only, ...value().split(',')];
    else if (name === '--sides') options.sides = [...options.sides, ...value().split(',')];
    else if (name === '--runs') options.rounds = wholeNumber(name, value());
    else if (name === '--tasks') options.taskCount = wholeNumber(name, value());
    else if (name === '--nest') options.nest = nestVersion(value());
    else if (name === '--json') options.jsonFile = value();
    else if (name === '--from') options.from = [...options.from, ...value().split(',')];
    else throw new Error(`Unknown argument ${arg}. npm run bench -- --help tells what there is.`);
  }
  return options;
}

/**
 * @param {string} name
 * @returns {never}
 */
function missingValue(name) {
  throw new Error(`${name} needs a value.`);
}

/** @param {string} text */
function nestVersion(text) {
  if (text === '11') return text;
  if (text === '12') return undefined;
  throw new Error(`--nest ${text}: give 11 or 12.`);
}

/**
 * @param {string} name
 * @param {string} text
 */
function wholeNumber(name, text) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${name} ${text}: give a whole number from 1 up.`);
  return number;
}
