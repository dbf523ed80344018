import { SentinelLink, translated, type SentinelOptions, type SentinelPlace } from './sentinel-link.js';
import { readSentinelMessage } from './sentinel-messages.js';

const MOST_SENTINELS = 10;
const DEFAULT_PORT = 26_379;
const ASK_EACH_MS = 1_000;
/** How often they are asked while a fail-over is on: it takes a second, and everything waits for it. */
const ASK_EACH_HELD_MS = 50;
/** A fail-over that takes longer is not waited for: enqueues would fail that the primary could take. */
const LONGEST_HOLD_MS = 5_000;
/** How often they are asked as fast as that at the beginning, when nobody knows whether a fail-over is on. */
const FIRST_QUESTIONS = 20;

export interface SentinelListener {
  /** The primary is about to be replaced, or may have been. */
  onBegin(why: string): void;
  /** The primary stays. */
  onEnd(): void;
  /** Another server is the primary, and the Sentinels agree on it. */
  onMoved(): void;
  /** What they agree on, each time that most of them answer. */
  onNamed(primary: SentinelPlace): void;
}

/**
 * Hears from all Sentinels of a primary what becomes of it, one watch for all connections of a process. A client of ioredis
 * asks a Sentinel only when it connects, and stays with a primary that was replaced until that one closes the connection:
 * 10 s after a planned fail-over.
 *
 * Messages tell when a fail-over begins and ends; because messages can be missed, the Sentinels are asked each second, too.
 */
export class SentinelWatch {
  private readonly links = new Map<string, SentinelLink>();
  /** Those that were asked for the others. */
  private readonly asked = new Set<SentinelLink>();
  private readonly name: string;
  /** The primary that the Sentinels agreed on last. */
  private primary: string | undefined;
  private heldAt: number | undefined;
  /** They have not agreed for long: from then on most of them are believed. */
  private isDisputed = false;
  private isAsking = false;
  private questionCount = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly options: SentinelOptions,
    private readonly listener: SentinelListener,
  ) {
    this.name = options.name ?? '';
    for (const { host = 'localhost', port = DEFAULT_PORT } of options.sentinels ?? []) this.add({ host, port });
    this.askLater();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const link of this.links.values()) link.close();
  }

  private add(place: SentinelPlace): void {
    const key = `${place.host}:${place.port}`;
    if (this.links.has(key) || this.links.size >= MOST_SENTINELS) return;
    const onMessage = (channel: string, message: string) => this.hear(channel, message);
    this.links.set(key, new SentinelLink(place, this.options, onMessage));
  }

  private hear(channel: string, message: string): void {
    const news = readSentinelMessage(channel, message, this.name);
    if (news === 'begins') this.hold();
    else if (news === 'aborted') this.release();
    if (news) void this.ask();
  }

  private hold(): void {
    if (this.heldAt !== undefined) return;
    this.heldAt = performance.now();
    this.listener.onBegin(`the Sentinels replace the primary of ${this.name}`);
  }

  private release(): void {
    if (this.heldAt === undefined) return;
    this.heldAt = undefined;
    this.listener.onEnd();
  }

  private askLater(): void {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    const isUrgent = this.heldAt !== undefined || (this.primary === undefined && this.questionCount < FIRST_QUESTIONS);
    const pauseMs = isUrgent ? ASK_EACH_HELD_MS : ASK_EACH_MS;
    this.timer = setTimeout(() => void this.ask(), pauseMs).unref();
  }

  /** Never rejects. */
  private async ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    this.questionCount += 1;
    const links = [...this.links.values()];
    const answers = await Promise.all(links.map((link) => link.primary()));
    await this.learnOthers(links.filter((link, i) => answers[i] !== undefined && !this.asked.has(link)));
    this.isAsking = false;
    if (this.isClosed) return;
    this.judge(answers.filter((answer) => answer !== undefined));
    this.askLater();
  }

  /** The one that leads a fail-over tells of it first, and need not be one that was configured. */
  private async learnOthers(links: readonly SentinelLink[]): Promise<void> {
    if (this.options.updateSentinels === false) return;
    for (const link of links) this.asked.add(link);
    const others = await Promise.all(links.map((link) => link.others()));
    if (!this.isClosed) for (const place of others.flat()) this.add(place);
  }

  private judge(answers: readonly string[]): void {
    const named = mostNamed(answers);
    const isAgreed = answers.every((answer) => answer === named);
    if (isAgreed) this.isDisputed &&= answers.length === 0;
    else if (!this.isDisputed) {
      // In the first answers of all, in the middle of a fail-over, whatever they agree on is news to the clients.
      this.primary ??= '';
      this.hold();
      return this.giveUp();
    }
    const isMoved = named !== undefined && this.primary !== undefined && this.primary !== named;
    this.primary = named ?? this.primary;
    if (isMoved) {
      this.heldAt = undefined;
      this.listener.onMoved();
    } else this.giveUp();
    // One that is cut off from the others may not have heard of a fail-over.
    const isSure = isAgreed && answers.length * 2 > this.links.size;
    if (named !== undefined && isSure) this.listener.onNamed(translated(placeOf(named), this.options));
  }

  /** Ends a hold that is on for too long. */
  private giveUp(): void {
    if (this.heldAt === undefined || performance.now() - this.heldAt < LONGEST_HOLD_MS) return;
    this.isDisputed = true;
    this.release();
  }
}

function placeOf(named: string): SentinelPlace {
  const at = named.lastIndexOf(':');
  return { host: named.slice(0, at), port: Number(named.slice(at + 1)) };
}

/** What more than half of them say. */
function mostNamed(answers: readonly string[]): string | undefined {
  return answers.find((answer) => answers.filter((other) => other === answer).length * 2 > answers.length);
}
