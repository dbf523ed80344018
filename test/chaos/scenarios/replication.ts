import { askRedis } from '../../../scripts/redis/index.mjs';

/** How long a replica may need to follow. */
export const LINK_MS = 30_000;

/** Without a wait for more replicas, and with a word of the primary each second. */
export const REPLICATION_ARGS = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'];

export async function isInStep(url: string): Promise<boolean> {
  const [info] = await askRedis(url, [['INFO', 'replication']]);
  return /master_link_status:up/.test(String(info));
}
