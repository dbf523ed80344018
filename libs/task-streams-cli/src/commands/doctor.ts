import type { Command } from 'commander';
import { action, type Context } from '../context.js';
import { worstOf, type Finding } from '../doctor/finding.js';
import { gather } from '../doctor/gather.js';
import { judge } from '../doctor/judge.js';
import type { ExitCode } from '../exit-code.js';
import { clean } from '../output/clean.js';
import type { Style } from '../output/colour.js';
import { wrapText } from '../output/wrap.js';
import { parseSpan } from '../parse/values.js';
import { examples } from './examples.js';

interface DoctorOptions {
  readonly maxWait: number;
  readonly strict: boolean;
}

const DEFAULT_MAX_WAIT_MS = 300_000;
const STYLES: Readonly<Record<Finding['status'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };
const NAME_WIDTH = 15;

/** `doctor`: is all well, and what is to be done? */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('look at the server and every queue for what is wrong, and say what to do')
    .option('--max-wait <span>', 'how long a task may wait', parseSpan, DEFAULT_MAX_WAIT_MS)
    .option('--strict', 'exit with 1 for warnings, too', false)
    .addHelpText('after', examples('doctor', 'doctor --max-wait 1h --strict', 'doctor --json'))
    .action(action(doctor));
}

async function doctor({ admin, out }: Context, { maxWait, strict }: DoctorOptions): Promise<ExitCode> {
  const findings = judge(await gather(admin), { maxWaitMs: maxWait });
  const status = worstOf(findings);
  if (out.isJson) await out.json({ status, findings });
  else for (const finding of findings) await show(out, finding);
  return status === 'fail' || (strict && status === 'warn') ? 1 : 0;
}

async function show(out: Context['out'], { check, status, queue, message, cure }: Finding): Promise<void> {
  const where = queue === undefined ? '' : `queue "${clean(queue)}": `;
  const indent = NAME_WIDTH + 8;
  const said = wrapText(`${where}${clean(message)}`, out.width - indent);
  const done = cure === undefined ? [] : wrapText(`→ ${clean(cure)}`, out.width - indent);
  const [first = '', ...rest] = [...said, ...done.map((line) => out.paint('dim', line))];
  await out.line(`${out.paint(STYLES[status], status.padEnd(4))}  ${check.padEnd(NAME_WIDTH)}  ${first}`);
  for (const line of rest) await out.line(`${' '.repeat(indent)}${line}`);
}
