/** @typedef {{ name: string, points: readonly (readonly [number, number])[] }} Line seconds since the start, and a value */
/** @typedef {{ name: string, at: number }} Mark what happened, and when in seconds since the start */

/**
 * @typedef {object} Chart
 * @property {string} title
 * @property {string} unit what the left axis counts
 * @property {readonly Line[]} lines
 * @property {readonly Mark[]} marks
 * @property {number} seconds that the bottom axis is long
 */

const width = 760;
const height = 314;
const plot = { left: 64, right: 744, top: 78, bottom: 238 };
/** Told apart on white and on black, and by people who do not see red and green apart. */
const colours = ['#3b82c4', '#d97706', '#159a80', '#b65fa8', '#8a8f2a', '#d1495b', '#7b6fd0', '#7d8590'];
const style = [
  'text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-size:15px;font-weight:600;fill:#1f2328}',
  '.grid{stroke:#d0d7de}.axis{stroke:#8c959f}.mark{stroke:#8c959f;stroke-dasharray:3 3}polyline{fill:none;stroke-width:2}',
  '@media(prefers-color-scheme:dark){text{fill:#9198a1}.title{fill:#f0f6fc}.grid{stroke:#30363d}}',
].join('');

/**
 * Draws lines over time.
 *
 * @param {Chart} chart
 * @returns {string} an SVG
 */
export function drawLineChart({ title, unit, lines, marks, seconds }) {
  const top = roundUp(Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value)), 0));
  const x = (/** @type {number} */ at) => round(plot.left + (at / seconds) * (plot.right - plot.left));
  const y = (/** @type {number} */ value) => round(plot.bottom - (value / top) * (plot.bottom - plot.top));
  const parts = [
    `<text class="title" x="${plot.left}" y="22">${escape(title)}</text>`,
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
      const at = y(share * top);
      return [
        `<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${at}" y2="${at}"/>`,
        `<text x="${plot.left - 8}" y="${at + 4}" text-anchor="end">${show(share * top)}</text>`,
      ];
    }),
    ...ticksOf(seconds).map((at) => `<text x="${x(at)}" y="${plot.bottom + 18}" text-anchor="middle">${at} s</text>`),
    `<line class="axis" x1="${plot.left}" x2="${plot.right}" y1="${plot.bottom}" y2="${plot.bottom}"/>`,
    `<text transform="translate(14 ${(plot.top + plot.bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(unit)}</text>`,
    ...marks.flatMap(({ name, at }, i) => [
      `<line class="mark" x1="${x(at)}" x2="${x(at)}" y1="${plot.top - 4}" y2="${plot.bottom}"/>`,
      // In rows, because things may happen soon after each other.
      `<text x="${x(at)}" y="${plot.top - 8 - (i % 3) * 14}" text-anchor="${anchorOf(x(at))}">${escape(name)}</text>`,
    ]),
    ...lines.map(
      ({ points }, i) =>
        `<polyline stroke="${colourOf(i)}" points="${points.map(([at, value]) => `${x(at)},${y(value)}`).join(' ')}"/>`,
    ),
    ...legendOf(lines),
  ];
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escape(title)}">`;
  return `${head}\n<style>${style}</style>\n${parts.join('\n')}\n</svg>\n`;
}

/** @param {readonly Line[]} lines */
function legendOf(lines) {
  let left = plot.left;
  let row = 0;
  return lines.map(({ name }, i) => {
    const wide = 34 + name.length * 7;
    if (left + wide > plot.right) [left, row] = [plot.left, row + 1];
    const top = plot.bottom + 42 + row * 18;
    const item =
      `<line x1="${left}" x2="${left + 16}" y1="${top - 4}" y2="${top - 4}" stroke="${colourOf(i)}" stroke-width="3"/>` +
      `<text x="${left + 22}" y="${top}">${escape(name)}</text>`;
    left += wide;
    return item;
  });
}

/** @param {number} i */
function colourOf(i) {
  return colours[i % colours.length];
}

/** @param {number} at a place on the page */
function anchorOf(at) {
  return at > plot.right - 80 ? 'end' : 'start';
}

/** @param {number} seconds */
function ticksOf(seconds) {
  const step = [5, 10, 20, 30, 60, 120, 300].find((one) => seconds / one <= 9) ?? 600;
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, i) => i * step);
}

/**
 * The next number that four parts of are easy to read.
 *
 * @param {number} value
 */
function roundUp(value) {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((factor) => value <= factor * power) ?? 10) * power;
}

/** @param {number} value */
function show(value) {
  return Number(value.toPrecision(3)).toLocaleString('en-US');
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
