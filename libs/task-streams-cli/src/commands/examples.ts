/** The examples below the help of a command. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  $ task-streams ${line}`)].join('\n');
}
