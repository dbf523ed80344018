import type { Cluster, Redis } from 'ioredis';
import { pause } from '../../time/pause.js';
import { keySlot } from './key-slot.js';
import type { RedisClient } from './redis-client.js';
import { whenReady } from './when-ready.js';

/** Two looks at the slots are so far apart at least. */
const REFRESH_PAUSE_MS = 100;
/** A server may tell of an old order for so long after the one that knows better. */
const HINT_MS = 2_000;
const MOVED = /^MOVED (\d+) (\S+:\d+)/;

/** Knows which server has which slot, by the Cluster client of the user, which carries no task. */
export class ClusterTopology {
  private readonly slots = new Map<string, number>();
  private readonly hints = new Map<number, { readonly node: string; readonly until: number }>();
  private readonly templates = new Map<string, Redis>();
  private refreshing: Promise<void> | undefined;
  private refreshedAt = -Infinity;

  /** @param onChange Called when slots may have gone elsewhere. */
  constructor(
    private readonly cluster: Cluster,
    private readonly onChange: () => void,
  ) {}

  slotOf(key: string): number {
    let slot = this.slots.get(key);
    if (slot === undefined) this.slots.set(key, (slot = keySlot(key)));
    return slot;
  }

  /** The host and port of the primary that has the key; `undefined` while it is not known. */
  ownerOf(key: string): string | undefined {
    const slot = this.slotOf(key);
    const hint = this.hints.size > 0 ? this.hints.get(slot) : undefined;
    return hint && hint.until > performance.now() ? hint.node : this.cluster.slots[slot]?.[0];
  }

  /** The primaries that have slots. */
  primaries(): Set<string> {
    const nodes = new Set<string>();
    for (const keys of this.cluster.slots) if (keys?.[0] !== undefined) nodes.add(keys[0]);
    for (const { node } of this.hints.values()) nodes.add(node);
    return nodes;
  }

  /** Waits until the slots are known. @returns undefined when they are, else why not. */
  async known(timeoutMs: number): Promise<Error | undefined> {
    return whenReady(this.cluster as unknown as RedisClient, timeoutMs);
  }

  /** Asks for the slots anew. Never rejects: where nobody answers, what was known stays. */
  refresh(): Promise<void> {
    return (this.refreshing ??= this.ask().finally(() => (this.refreshing = undefined)));
  }

  /** Takes the word of the server that does not have the slot any more. Answers false where the error is none. */
  async hear(error: unknown): Promise<boolean> {
    const [, slot, node] = (error instanceof Error && MOVED.exec(error.message)) || [];
    if (slot === undefined || node === undefined) return false;
    // A map of addresses is the business of the Cluster client.
    if (this.cluster.options.natMap || node.startsWith(':')) await this.refresh();
    else {
      this.hints.set(Number(slot), { node, until: performance.now() + HINT_MS });
      this.onChange();
      void this.refresh();
    }
    return true;
  }

  /** A plain client with the options that the Cluster client has for this server. */
  createClient(node: string, settings: Readonly<Record<string, unknown>>): RedisClient {
    for (const known of this.cluster.nodes('all')) this.templates.set(nodeOf(known), known);
    const template = this.templates.get(node) ?? [...this.templates.values()].at(-1);
    if (!template) throw new Error('the Cluster client knows no node');
    const [, host, port] = /^(.*):(\d+)$/.exec(node) ?? [];
    return template.duplicate({
      ...settings,
      host: host as string,
      port: Number(port),
      readOnly: false,
    }) as RedisClient;
  }

  private async ask(): Promise<void> {
    const waitMs = this.refreshedAt + REFRESH_PAUSE_MS - performance.now();
    if (waitMs > 0) await pause(waitMs);
    await new Promise<void>((resolve) => this.cluster.refreshSlotsCache(() => resolve()));
    this.refreshedAt = performance.now();
    for (const [slot, { node, until }] of this.hints) {
      if (until < this.refreshedAt || this.cluster.slots[slot]?.[0] === node) this.hints.delete(slot);
    }
    this.onChange();
  }
}

function nodeOf({ options: { host, port } }: Redis): string {
  return `${host}:${port}`;
}
