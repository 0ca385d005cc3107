import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  createHostNames,
  NameNotFound,
  type NameServers,
  NameTimeout,
} from '../../../src/outside/connections/host-names.ts';

const fault = (code: string) => Object.assign(new Error(code), { code });

/** Name servers that record their questions and give the test's answers. */
function byHand(answers: Record<string, { four?: string[]; six?: string[]; ttl?: number; fault?: string }>) {
  const asked: string[] = [];
  let waiting: (() => void)[] = [];
  let held = false;
  const answer = async (host: string, kind: 'four' | 'six') => {
    if (kind === 'four') asked.push(host);
    if (held) await new Promise<void>((resolve) => waiting.push(resolve));
    const { ttl = 60, fault: code, ...records } = answers[host] ?? { fault: 'ENOTFOUND' };
    if (code) throw fault(code);
    const addresses = (records as Record<string, string[] | undefined>)[kind];
    if (!addresses) throw fault('ENODATA');
    return addresses.map((address) => ({ address, ttl }));
  };
  const nameServers: NameServers = {
    resolve4: (host) => answer(host, 'four'),
    resolve6: (host) => answer(host, 'six'),
  };
  return {
    asked,
    nameServers,
    hold: () => {
      held = true;
    },
    release() {
      held = false;
      for (const resolve of waiting.splice(0)) resolve();
      waiting = [];
    },
  };
}

function atTime() {
  let moment = 0;
  return { now: () => moment, pass: (milliseconds: number) => (moment += milliseconds) };
}

const flush = () => new Promise((resolve) => setImmediate(resolve));

describe('the addresses of a name', () => {
  test('are of both kinds, and one kind is enough', async () => {
    const { nameServers } = byHand({
      'both.test': { four: ['1.1.1.1'], six: ['2606::1'] },
      'six.test': { six: ['2606::2'] },
    });
    const names = createHostNames({ nameServers });
    expect(await names.resolve('both.test')).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606::1', family: 6 },
    ]);
    expect(await names.resolve('six.test')).toEqual([{ address: '2606::2', family: 6 }]);
  });

  test.each`
    ttl      | keptMs
    ${0}     | ${5_000}
    ${60}    | ${60_000}
    ${90000} | ${300_000}
  `('with a time to live of $ttl s are cached for $keptMs ms', async ({ ttl, keptMs }) => {
    const time = atTime();
    const { nameServers, asked } = byHand({ 'a.test': { four: ['1.1.1.1'], ttl } });
    const names = createHostNames({ nameServers, now: time.now });
    await names.resolve('a.test');
    time.pass(keptMs - 1);
    await names.resolve('a.test');
    expect(asked).toHaveLength(1);
    time.pass(1);
    await names.resolve('a.test');
    expect(asked).toHaveLength(2);
  });

  test.each`
    code              | error           | keptMs
    ${'ENOTFOUND'}    | ${NameNotFound} | ${10_000}
    ${'ESERVFAIL'}    | ${NameTimeout}  | ${5_000}
    ${'ETIMEOUT'}     | ${NameTimeout}  | ${5_000}
    ${'ECONNREFUSED'} | ${NameTimeout}  | ${5_000}
  `('that cannot be resolved ($code) are not asked again at once', async ({ code, error, keptMs }) => {
    const time = atTime();
    const { nameServers, asked } = byHand({ 'a.test': { fault: code } });
    const names = createHostNames({ nameServers, now: time.now });
    for (let attempt = 0; attempt < 3; attempt++) await expect(names.resolve('a.test')).rejects.toThrow(error);
    expect(asked).toHaveLength(1);
    time.pass(keptMs);
    await expect(names.resolve('a.test')).rejects.toThrow(error);
    expect(asked).toHaveLength(2);
  });

  test('are resolved once for all callers, and for few names of a book at a time', async () => {
    const hand = byHand({});
    hand.hold();
    const names = createHostNames({ nameServers: hand.nameServers });
    const preparing = Array.from({ length: 50 }, (_, index) => names.prepare('a', `${index % 25}.test`));
    await flush();
    expect(new Set(hand.asked).size).toBe(8);
    const other = names.prepare('b', 'b.test');
    await flush();
    expect(hand.asked).toContain('b.test');
    hand.release();
    await Promise.all([...preparing, other]);
    expect(new Set(hand.asked).size).toBe(26);
    expect(hand.asked).toHaveLength(26);
    expect(names.prepare('a', '0.test')).toBeUndefined();
  });

  test('of a dead server time out', async () => {
    const dead = createSocket('udp4');
    await new Promise<void>((resolve) => dead.bind(0, '127.0.0.1', resolve));
    const names = createHostNames({ servers: [`127.0.0.1:${(dead.address() as AddressInfo).port}`] });
    await expect(names.resolve('hooks.example.com')).rejects.toThrow(NameTimeout);
    dead.close();
  });

  test("of an allowed name come from this machine's resolver", async () => {
    const { nameServers, asked } = byHand({});
    const names = createHostNames({ nameServers });
    expect((await names.resolveOpened('localhost')).length).toBeGreaterThan(0);
    expect(asked).toEqual([]);
  });
});
