import { expect, onTestFinished } from 'vitest';
import { startTestRedis } from '../../support/redis-server.js';
import type { Grounds } from '../../support/topologies/grounds.js';

/** Servers that belong to the test that runs now. */
export const TEST_GROUNDS: Grounds = {
  start: async (options) => {
    const server = await startTestRedis(options);
    onTestFinished(async () => {
      await server.kill('SIGCONT').catch(() => undefined);
      await server.stop();
    });
    return server;
  },
  until: async (what, probe, timeoutMs) => {
    const comesTrue = async () => Promise.resolve(probe()).catch(() => false);
    await expect.poll(comesTrue, { timeout: timeoutMs, interval: 50, message: what }).toBe(true);
  },
  onClose: (close) => onTestFinished(async () => void (await close())),
};
