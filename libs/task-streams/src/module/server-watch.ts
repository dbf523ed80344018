import type { LoggerService } from '@nestjs/common';
import type { BootReport, ServerReport, ServerStore } from '../contracts/server-store.interface.js';
import { classifyRedisError } from '../policy/redis-error.js';
import { describePersistence, evictionAdvice, persistenceAdvice } from '../policy/server-advice.js';
import { InvalidOptionError, UnsuitableServerError } from '../task/config-errors.js';
import { withoutFullStop } from '../task/sentence.js';

const LOOK_AGAIN_MS = 60_000;
/** How soon it looks again for a server that has not answered yet. */
const TRY_AGAIN_MS = 5_000;

/** What is not known without the answer to a question. */
const UNCHECKED: Readonly<Record<BootReport['unanswered'][number], string>> = {
  INFO: 'its version, whether it may evict tasks, and how it keeps them',
  'CONFIG GET': 'how often it syncs its append-only file',
  'COMMAND INFO': 'whether it has WAITAOF, which is taken for missing',
};

type Log = Required<Pick<LoggerService, 'log' | 'warn' | 'error' | 'debug'>>;

/**
 * Looks at the server when the application starts, and again each minute: its settings may change while it runs. Each
 * change is one log line, and readiness shows the rest.
 */
export class ServerWatch {
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isChecked = false;
  /** What was said last, so that it is said once. */
  readonly #said = new Map<'eviction' | 'persistence' | 'refusal', string>();

  constructor(
    private readonly server: Pick<ServerStore, 'check' | 'report'>,
    /** Those this process works on. */
    private readonly queues: readonly string[],
    private readonly log: Log,
  ) {}

  /**
   * The look at boot.
   *
   * @param onRedisDown What to do where it does not answer.
   * @throws UnsuitableServerError, RedisUnavailableError
   */
  async start(onRedisDown: 'wait' | 'fail'): Promise<void> {
    try {
      this.#introduce(await this.server.check(this.queues));
    } catch (error) {
      if (onRedisDown === 'fail' || isForGood(error)) throw error;
      if (!this.#isStopped) {
        this.log.warn(`Redis does not answer yet (${withoutFullStop((error as Error).message)}); it is tried again`);
      }
    }
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#look(), this.#isChecked ? LOOK_AGAIN_MS : TRY_AGAIN_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    try {
      if (this.#isChecked) this.#compare(await this.server.report());
      else this.#introduce(await this.server.check(this.queues));
    } catch (error) {
      // It is too late to fail the boot. Workers and readiness tell of a server that does not answer.
      if (isForGood(error)) this.#say('refusal', (error as Error).message, 'error');
    }
    this.#schedule();
  }

  #introduce(report: BootReport): void {
    this.#isChecked = true;
    this.log.log(describe(report));
    if (!report.arePermissionsChecked) {
      this.log.debug('Redis does not let this user ask what it may do (ACL DRYRUN), so its rights were not checked');
    }
    const { unanswered } = report;
    if (unanswered.length > 0) {
      const costs = unanswered.map((question) => `${question}: ${UNCHECKED[question]}`).join('; ');
      this.log.debug(`Redis does not answer all that is asked at boot, so this was not checked: ${costs}`);
    }
    this.#say('refusal', undefined, 'error');
    for (const warning of report.warnings) this.log.warn(`${withoutFullStop(warning)}.`);
    this.#compare(report);
  }

  #compare({ persistence, ...memory }: ServerReport): void {
    this.#say('eviction', evictionAdvice(memory), 'warn');
    this.#say('persistence', persistenceAdvice(persistence), 'warn');
  }

  /** Says it once; and that it is over, where it was said. */
  #say(about: 'eviction' | 'persistence' | 'refusal', advice: string | undefined, level: 'warn' | 'error'): void {
    const before = this.#said.get(about);
    if (advice === before) return;
    if (advice === undefined) {
      this.#said.delete(about);
      this.log.log(about === 'refusal' ? 'Redis can be used now' : `The ${about} of Redis is in order again`);
    } else {
      this.#said.set(about, advice);
      this.log[level](`${withoutFullStop(advice)}.`);
    }
  }
}

/** Waiting mends neither a server that is too old nor a wrong password, nor a client that cannot be used. */
function isForGood(error: unknown): boolean {
  if (error instanceof UnsuitableServerError || error instanceof InvalidOptionError) return true;
  return classifyRedisError((error as Error).cause ?? error) === 'config';
}

function describe({ kind, version, address, persistence, evictionPolicy, capabilities }: BootReport): string {
  const can = capabilities.length === 0 ? '' : `, with ${capabilities.join(' and ')}`;
  return (
    `Tasks are kept by ${kind} ${version} at ${address}, eviction ${evictionPolicy}, persistence ${persistence} ` +
    `(${describePersistence(persistence)})${can}`
  );
}
