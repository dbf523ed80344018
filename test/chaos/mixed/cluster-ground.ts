import { TestClusterServers } from '../../support/topologies/cluster.js';
import type { Bench } from '../harness/bench.js';
import { keysOf } from '../harness/queue-watch.js';
import { lasts, until } from '../harness/until.js';
import { REPLICATION_ARGS } from '../scenarios/replication.js';
import { MIXED_QUEUES } from '../worker/settings.js';
import { DEAF_ARGS, deafen, groundsOf, lostWhen, type Blow, type Ground } from './ground.js';

const NODE_TIMEOUT_MS = 1_000;
const WHOLE_MS = 60_000;
const QUEUES = Object.keys(MIXED_QUEUES);
/** Queues with few keys, so that the move of their slot ends while the run goes on. */
const MOVABLE = ['m-slow', 'm-victim', 'm-drained'];

/** Three masters, each with one replica, which is the one that will be promoted. */
export async function clusterGround(bench: Bench): Promise<Ground> {
  const servers = await TestClusterServers.start(groundsOf(bench), {
    hasReplicas: true,
    nodeTimeoutMs: NODE_TIMEOUT_MS,
    extraArgs: [...REPLICATION_ARGS, ...DEAF_ARGS, '--appendonly', 'yes', '--appendfsync', 'everysec'],
  });
  bench.urlOf = async (queue) => (await servers.ownerOf(keysOf(queue).stream)).server.url;
  return {
    connection: {},
    clusterNodes: servers.addresses,
    cutConnections: async () => {
      for (const { client } of await servers.currentMasters()) {
        await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      }
    },
    blows: {
      'master-sigkill': (size) => killMaster(bench, servers, pick(QUEUES, size)),
      'slot-moved': (size) => moveSlot(servers, pick(MOVABLE, size)),
    },
    lacking: [],
    durability: { replicas: 1, timeoutMs: 1_000 },
  };
}

function pick(queues: readonly string[], size: number): string {
  return queues[Math.floor(size * queues.length)] ?? 'm-slow';
}

/** It dies while its replica lags. */
async function killMaster(bench: Bench, servers: TestClusterServers, queue: string): Promise<Blow> {
  const master = await servers.ownerOf(keysOf(queue).stream);
  const replica = await servers.replicaOf(master);
  const beganAt = Date.now();
  await deafen(replica.server.url);
  const killedAt = Date.now();
  await bench.killRedis(master.server);
  const isPromoted = async () => (await servers.currentMasters()).includes(replica);
  await until('the replica to be promoted', isPromoted, WHOLE_MS);
  await lasts(bench.isSmall ? 200 : 2_000);
  await bench.reviveRedis(master.server);
  await until('the old master to follow', async () => (await servers.replicaOf(replica)) === master, WHOLE_MS);
  await until('the cluster to be whole', () => servers.isWhole(), WHOLE_MS);
  return { mayLose: lostWhen(beganAt, killedAt) };
}

/** Loses nothing; what was moved is on the replica of its new master before anything else happens. */
async function moveSlot(servers: TestClusterServers, queue: string): Promise<void> {
  const { stream } = keysOf(queue);
  await servers.moveSlot(stream, { keysAtOnce: 100, pauseMs: 10 });
  const { client } = await servers.ownerOf(stream);
  // WAIT asks about the writes of its own connection, so it makes one, after all that came with the slot.
  const hasReplica = async () => {
    await client.set(`moved:{${queue}}`, '1', 'PX', 1_000);
    return (await client.call('WAIT', 1, 1_000)) === 1;
  };
  await until('the replica to have what was moved', hasReplica, WHOLE_MS);
}
