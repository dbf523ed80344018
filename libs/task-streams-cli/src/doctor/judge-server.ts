import { describePersistence, persistenceAdvice, type ServerExam } from 'nestjs-task-streams/admin';
import { showBytes, showSpan } from '../output/format.js';
import type { Check, Finding } from './finding.js';

/** How full the memory may be. */
const FULL = 0.8;
/** How far clocks may be apart, in milliseconds. */
const CLOCK_MS = 2_000;

/** What is found about the server, one for each check. */
export function judgeServer(exam: ServerExam): Finding[] {
  const { kind, version, evictionPolicy } = exam.server;
  return [
    ofExam(exam, 'version', `${kind} ${version}`),
    persistence(exam),
    ofExam(exam, 'eviction', `${evictionPolicy}: tasks are not deleted to make room`),
    memory(exam),
    clock(exam),
    ofExam(exam, 'permissions', 'this user may do what an operator does'),
    ofExam(exam, 'format', 'this release knows the format of every queue'),
    ofExam(exam, 'scripts', 'the server takes every script'),
    ...foreignUse(exam),
  ];
}

/** Messages of the boot checks say what to do in their last sentence. */
function ofExam(
  { findings }: ServerExam,
  check: 'version' | 'eviction' | 'permissions' | 'format' | 'scripts',
  good: string,
): Finding {
  return judged(
    check,
    findings.find((one) => one.check === check),
    good,
  );
}

function judged(check: Check, found: ServerExam['findings'][number] | undefined, good: string): Finding {
  if (found?.verdict === 'bad') return { check, status: 'fail', message: found.detail ?? '' };
  if (found?.verdict === 'poor') return { check, status: 'warn', message: found.detail ?? '' };
  if (found?.verdict === 'good') return { check, status: 'ok', message: good };
  return {
    check,
    status: 'warn',
    message: 'this server does not let this user ask',
    cure: 'Ask as another user, or look at its settings',
  };
}

/** Of each queue that another program uses, or that may not be looked at. */
function foreignUse({ findings }: ServerExam): Finding[] {
  return findings
    .filter(({ check, verdict }) => check === 'foreign-use' && verdict !== 'good')
    .map((found) => ({ ...judged('foreign-use', found, ''), queue: found.queue ?? '' }));
}

function persistence({ server }: ServerExam): Finding {
  const check = 'persistence';
  const advice = persistenceAdvice(server.persistence);
  if (advice !== undefined) return { check, status: 'warn', message: advice };
  const text = describePersistence(server.persistence);
  if (server.persistence === 'unknown') return { check, status: 'warn', message: text, cure: 'Look at its settings' };
  return { check, status: 'ok', message: `append-only file, appendfsync ${server.persistence}: ${text}` };
}

function memory({ server, usedMemoryBytes }: ServerExam): Finding {
  const check = 'memory';
  const used =
    usedMemoryBytes === undefined ? 'it does not say how much it uses' : `${showBytes(usedMemoryBytes)} used`;
  const limit = server.maxMemoryBytes;
  if (limit === undefined) return { check, status: 'ok', message: used };
  if (limit === 0) return { check, status: 'ok', message: `${used}, no maxmemory: the machine is the limit` };
  const message = `${used} of ${showBytes(limit)}`;
  if ((usedMemoryBytes ?? 0) / limit < FULL) return { check, status: 'ok', message };
  const cure = 'Give Redis more memory (maxmemory), or empty queues: a full one refuses every enqueue';
  return { check, status: 'warn', message, cure };
}

function clock({ clockAheadMs }: ServerExam): Finding {
  const check = 'clock';
  const apart = Math.abs(clockAheadMs);
  if (apart <= CLOCK_MS)
    return { check, status: 'ok', message: `${showSpan(apart)} apart from the one of this machine` };
  const direction = clockAheadMs > 0 ? 'behind' : 'ahead of';
  return {
    check,
    status: 'warn',
    message: `the clock of Redis is ${showSpan(apart)} ${direction} the one of this machine`,
    cure: 'Set the clocks (NTP): delays go by the one of Redis, but histories and --since by the others',
  };
}
