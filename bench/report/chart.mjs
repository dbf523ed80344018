/** @typedef {import('../measure-mode.mjs').ModeFigures} ModeFigures */

/**
 * One bar: how many times better than the reference.
 *
 * @typedef {{ title: string, median: number, min: number, max: number }} Bar
 */

const width = 860;
const left = 300;
const right = 70;
const rowHeight = 26;
const top = 64;

/** Colours that can be read on white and on black, and text that takes the colour of the reader's theme. */
const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .head { font-size: 16px; font-weight: 600; }
  .small { font-size: 12px; fill: #59636e; }
  .bar { fill: #2f81f7; }
  .worse { fill: #d1742f; }
  .range { stroke: #1f2328; stroke-width: 1.5; }
  .grid { stroke: #d1d9e0; }
  .even { stroke: #59636e; stroke-dasharray: 4 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .range { stroke: #e6edf3; }
    .grid { stroke: #3d444d; }
    .even { stroke: #9198a1; }
  }`;

/**
 * A chart of what this library reaches against the reference: median of the paired ratios and their range.
 *
 * @param {readonly ModeFigures[]} figures
 * @returns {string} SVG
 */
export function renderChart(figures) {
  const bars = figures.flatMap(barOf);
  const largest = Math.max(1, ...bars.map((bar) => bar.max));
  const scale = (width - left - right) / largest;
  const height = top + bars.length * rowHeight + 40;
  const bottom = height - 36;
  const step = largest > 12 ? 5 : largest > 6 ? 2 : 1;
  const marks = Array.from({ length: Math.floor(largest / step) + 1 }, (_, index) => index * step);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    '<title>nestjs-task-streams against @nestjs/bullmq</title>',
    `<style>${style}\n</style>`,
    '<text x="16" y="26" class="head">How many times better than @nestjs/bullmq</text>',
    '<text x="16" y="46" class="small">Tasks a second; for latency and memory, how many times less. Median and range of paired rounds.</text>',
    ...marks.map((mark) => renderMark(mark, left + mark * scale, bottom)),
    line('even', left + scale, top - 6, left + scale, bottom),
    ...bars.flatMap((bar, index) => renderBar(bar, top + index * rowHeight, scale)),
    '</svg>',
    '',
  ].join('\n');
}

/**
 * @param {ModeFigures} figures
 * @returns {Bar[]} none where the reference or this library was not measured
 */
function barOf({ mode, title, reference, unit, sides }) {
  // About nothing against about nothing: that ratio is noise.
  if (mode === 'memory-done' || reference === 'task-streams') return [];
  const ratio = sides.find(({ side }) => side === 'task-streams')?.ratio;
  if (ratio === undefined || !Object.values(ratio).every((value) => Number.isFinite(value) && value > 0)) return [];
  const { median, min, max } = ratio;
  return unit === 'tasks/s'
    ? [{ title, median, min, max }]
    : [{ title, median: 1 / median, min: 1 / max, max: 1 / min }];
}

/**
 * @param {Bar} bar
 * @param {number} y
 * @param {number} scale
 */
function renderBar({ title, median, min, max }, y, scale) {
  const middle = y + rowHeight / 2;
  const at = (/** @type {number} */ ratio) => left + ratio * scale;
  return [
    `<text x="${left - 10}" y="${middle + 4}" text-anchor="end">${escapeText(title)}</text>`,
    `<rect class="${median < 1 ? 'worse' : 'bar'}" x="${left}" y="${y + 5}" width="${(median * scale).toFixed(1)}" height="${rowHeight - 10}" rx="2"/>`,
    line('range', at(min), middle, at(max), middle),
    `<text x="${(at(max) + 8).toFixed(1)}" y="${middle + 4}">${median.toFixed(2)}×</text>`,
  ];
}

/**
 * @param {number} mark
 * @param {number} x
 * @param {number} bottom
 */
function renderMark(mark, x, bottom) {
  const text = `<text x="${x.toFixed(1)}" y="${bottom + 18}" text-anchor="middle" class="small">${mark}×</text>`;
  return `${line('grid', x, top - 6, x, bottom)}${text}`;
}

/**
 * @param {string} name
 * @param {...number} ends
 */
function line(name, ...ends) {
  const [x1, y1, x2, y2] = ends.map((end) => end.toFixed(1));
  return `<line class="${name}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
}

/** @param {string} text */
function escapeText(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
