import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { die } from '../support/broker/dead-letters.js';
import { item } from '../support/broker/open-broker.js';
import { startTestRedis } from '../support/redis-server.js';
import { openDesk } from './support/open-desk.js';

const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');

describe('the published ACL line of an operator', () => {
  it('lets every command do its work', async () => {
    const server = await startTestRedis({ extraArgs: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    onTestFinished(() => server.stop());
    const desk = await openDesk({}, server.url);
    const [, rules = ''] = /^ACL SETUSER shop-operator on >password (.*)$/m.exec(page) ?? [];
    const own = rules.replace('~ts:*', `~${desk.prefix}:*`).split(' ');
    await desk.redis.acl('SETUSER', 'operator', 'on', '>pw', ...own);
    const { broker } = desk;
    await die(broker, 'q', [item('a'), item('b')], { reason: 'attempts-exhausted' });
    await broker.inbox.append('q', [item('c', {}, { delayMs: 60_000 }), item('d', {}, { delayMs: 60_000 })], 'memory');
    await broker.inbox.append('q', [item('e')], 'memory');
    await expect.poll(() => broker.queues.list(1)).toEqual(['q']);
    const file = path.join(server.dir, 'letters.jsonl');
    await writeFile(file, '');
    const url = server.url.replace('//', '//operator:pw@');
    const commands = [
      'stats',
      'queues ls',
      'queues show q',
      'queues pause q',
      'queues resume q',
      'tasks ls q',
      'tasks ls q --state delayed',
      'tasks show q c',
      'tasks logs q c',
      'tasks enqueue q job --payload {} --durability fsync',
      'tasks reschedule q c --delay 10m',
      'tasks promote q c',
      'tasks cancel q d',
      'dlq ls q',
      'dlq groups q',
      'dlq export q',
      `dlq import q ${file}`,
      'dlq redrive q --all --dry-run',
      'dlq redrive q --all --max 1 --yes',
      'dlq purge q --all --because done --confirm q',
      'queues drain q --yes',
      'workers ls',
      'audit ls q',
      'doctor',
    ];
    for (const command of commands) {
      const { code, stderr } = await desk.runBuilt(command.split(' '), { url });
      // A doctor or a list may say no; nothing is wrong with the call.
      expect({ command, stderr, isDone: code === 0 || code === 1 }).toMatchObject({ isDone: true });
      expect(stderr).not.toContain('NOPERM');
    }
    const rows = (await desk.redis.call('ACL', 'LOG')) as string[][];
    expect(rows.map((row) => `${row[5]} ${row[7]}`).filter((text) => !text.includes('setinfo'))).toEqual([]);
  });
});
