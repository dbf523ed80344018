/** One scrape, as numbers by series. */
export class Samples {
  readonly #values = new Map<string, number>();

  constructor(text: string) {
    for (const line of text.split('\n')) {
      const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (match === null) continue;
      const [, name = '', labels = '', value] = match;
      this.#values.set(keyOf(name, Object.fromEntries(parse(labels))), Number(value));
    }
  }

  /** `undefined` where there is no such series. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    return this.#values.get(keyOf(`task_streams_${name}`, labels));
  }

  /** The names and labels of the series of a metric. */
  series(name: string): string[] {
    return [...this.#values.keys()].filter((key) => key.startsWith(`task_streams_${name}{`));
  }
}

function parse(labels: string): [string, string][] {
  return [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]);
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => a.localeCompare(b));
  return `${name}{${sorted.map(([label, value]) => `${label}=${value}`).join(',')}}`;
}
