import { ClientProxy, ClientsModule } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Broker } from '../contracts/broker.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { InvalidOptionError, UsageError } from '../task/config-errors.js';
import { defineTask } from '../task/task-contract.js';
import type { TaskReceipt } from './enqueue-options.js';
import { FakeBroker } from './fake-broker.spec-support.js';
import { TaskClient } from './task-client.js';
import { TaskStreamsClientProxyBase } from './task-streams-client-proxy.js';

const fake = { broker: new FakeBroker(), check: vi.fn(), close: vi.fn(), optionsSeen: [] as ResolvedOptions[] };

class FakeProxy extends TaskStreamsClientProxyBase {
  protected override createBroker(options: ResolvedOptions): Broker {
    fake.optionsSeen.push(options);
    const server = { check: fake.check, close: fake.close };
    return { ...fake.broker.asPort(), server } as unknown as Broker;
  }
}

beforeEach(() => {
  fake.broker = new FakeBroker();
  fake.optionsSeen = [];
  fake.check.mockReset().mockResolvedValue(undefined);
  fake.close.mockReset().mockResolvedValue(undefined);
});

describe('TaskStreamsClientProxy', () => {
  it('is made by ClientsModule and closed with the application', async () => {
    const options = { queue: 'mail', prefix: 'shop' };
    const module = await Test.createTestingModule({
      imports: [ClientsModule.register([{ name: 'TASKS', customClass: FakeProxy, options }])],
    }).compile();
    const client = module.get<FakeProxy>('TASKS');
    const receipt = await lastValueFrom(client.emit<TaskReceipt>('mail.send', { to: 'a' }));
    await module.close();

    expect(receipt).toMatchObject({ queue: 'mail', state: 'waiting', duplicate: false });
    expect(fake.optionsSeen).toMatchObject([{ prefix: 'shop', mode: 'producer' }]);
    expect(fake.close).toHaveBeenCalledTimes(1);
  });

  it('enqueues at once, without a subscriber', async () => {
    new FakeProxy().emit('mail.send', { to: 'a' });

    await vi.waitFor(() => expect(fake.broker.calls).toHaveLength(1));
  });

  it('takes a contract and its queue', async () => {
    const contract = defineTask('reports.export', { queue: 'reports' });

    await expect(firstValueFrom(new FakeProxy().emit(contract, {}))).resolves.toMatchObject({ queue: 'reports' });
  });

  // Nest 11 has no such hooks.
  it.runIf('setOnDispatchHook' in ClientProxy.prototype)('sends what a dispatch hook attaches as headers', async () => {
    const proxy = new FakeProxy();
    proxy.setOnDispatchHook((packet) => {
      packet.metadata = { trace: 't1' };
    });
    await firstValueFrom(proxy.emit('mail.send', {}));

    expect(fake.broker.calls[0]?.items[0]?.head).toBe('{"headers":{"trace":"t1"}}');
  });

  it('settles with the error of the enqueue', async () => {
    await expect(firstValueFrom(new FakeProxy().emit('mail.send', { n: 1n }))).rejects.toMatchObject({
      path: 'payload.n',
    });
    await expect(firstValueFrom(new FakeProxy().emit({ cmd: 'x' }, {}))).rejects.toThrow('{"cmd":"x"}) names no task');
  });

  it('has no reply for send and says what to do instead', async () => {
    const reply = firstValueFrom(new FakeProxy().send('mail.send', {}));

    await expect(reply).rejects.toBeInstanceOf(UsageError);
    await expect(reply).rejects.toThrow('Use emit()');
  });

  it('connects once, and again after it was closed', async () => {
    const proxy = new FakeProxy();
    await Promise.all([proxy.connect(), proxy.connect(), firstValueFrom(proxy.emit('a', {}))]);
    expect(fake.optionsSeen).toHaveLength(1);
    await proxy.close();
    await proxy.close();
    await proxy.connect();

    expect(fake.optionsSeen).toHaveLength(2);
    expect(fake.close).toHaveBeenCalledTimes(1);
  });

  it('closes a connection that failed and tries again', async () => {
    fake.check.mockRejectedValueOnce(new Error('too old'));
    const proxy = new FakeProxy();

    await expect(proxy.connect()).rejects.toThrow('too old');
    expect(fake.close).toHaveBeenCalledTimes(1);
    await proxy.connect();
    expect(proxy.unwrap()).toBeInstanceOf(TaskClient);
  });

  it('gives its client only while it is connected', async () => {
    const proxy = new FakeProxy();
    expect(() => proxy.unwrap()).toThrow(UsageError);
    await proxy.connect();
    await proxy.close();
    expect(() => proxy.unwrap()).toThrow(UsageError);
  });

  it('checks its options', () => {
    expect(() => new FakeProxy({ prefix: '{a}' })).toThrow(InvalidOptionError);
  });
});
