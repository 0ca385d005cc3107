import type { IncomingMessage } from 'node:http';
import request from 'supertest';
import { expect, test } from 'vitest';
import { createClientAddress, NOBODY } from '../../../src/http/connections/client-address.ts';
import { isAddressAllowed } from '../../../src/organisations/api-key.ts';
import { createTestApp, KEYS } from './test-app.ts';

function asked(peer: string, forwardedFor?: string): IncomingMessage {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
}

test.each`
  trusted                     | peer                 | forwarded                              | address
  ${[]}                       | ${'10.0.0.1'}        | ${'203.0.113.7'}                       | ${'10.0.0.1'}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${undefined}                           | ${'10.0.0.1'}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'203.0.113.7'}                       | ${'203.0.113.7'}
  ${['10.0.0.0/8']}           | ${'::ffff:10.0.0.1'} | ${'203.0.113.7'}                       | ${'203.0.113.7'}
  ${['10.0.0.0/8']}           | ${'198.51.100.9'}    | ${'203.0.113.7'}                       | ${'198.51.100.9'}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'127.0.0.1, 203.0.113.7, 10.0.0.2'}  | ${'203.0.113.7'}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'203.0.113.7, 2001:db8::5'}          | ${'2001:db8::5'}
  ${['10.0.0.1', 'loopback']} | ${'::1'}             | ${'203.0.113.7,10.0.0.1'}              | ${'203.0.113.7'}
  ${['uniquelocal']}          | ${'192.168.3.4'}     | ${'10.1.2.3'}                          | ${'10.1.2.3'}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${' , '}                               | ${'10.0.0.1'}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'198.51.100.21:5000'}                | ${'198.51.100.21'}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'198.51.100.21:_p.1, 10.0.0.2:443,'} | ${'198.51.100.21'}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'[2001:db8::5]'}                     | ${'2001:db8::5'}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'"[2001:db8::5]:4711"'}              | ${'2001:db8::5'}
  ${['fd00::/8']}             | ${'fd00::1'}         | ${'2001:db8::5, [fd00::2]:80'}         | ${'2001:db8::5'}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'nobody'}                            | ${NOBODY}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'203.0.113.7, unknown'}              | ${NOBODY}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'203.0.113.7, "unknown:80"'}         | ${NOBODY}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'_hidden'}                           | ${NOBODY}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'127.1'}                             | ${NOBODY}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'010.0.0.1'}                         | ${NOBODY}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'198.51.100.21:port'}                | ${NOBODY}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'[198.51.100.21]:80'}                | ${NOBODY}
  ${['10.0.0.0/8']}           | ${'10.0.0.1'}        | ${'[2001:db8::5'}                      | ${NOBODY}
  ${['10.0.0.0/8']}           | ${'198.51.100.9'}    | ${'unknown'}                           | ${'198.51.100.9'}
`('$peer with X-Forwarded-For $forwarded, trusting $trusted, is $address', ({ trusted, peer, forwarded, address }) => {
  expect(createClientAddress(trusted)(asked(peer, forwarded))).toBe(address);
});

test('behind a trusted proxy, wrong keys of one address block only that address', async () => {
  const { app, logged } = createTestApp({ environment: { TRUSTED_PROXIES: 'loopback' } });
  const ask = (address: string, key: string) =>
    request(app)
      .get('/v1/things')
      .set({ Authorization: `Bearer ${key}`, 'X-Forwarded-For': `10.9.9.9, ${address}` });
  for (let attempt = 0; attempt < 60; attempt++) expect((await ask('203.0.113.7', 'sk_test_wrong')).status).toBe(401);
  expect((await ask('203.0.113.7', 'sk_test_wrong')).status).toBe(429);
  expect((await ask('203.0.113.8', 'sk_test_wrong')).status).toBe(401);
  expect((await ask('203.0.113.8', KEYS.test)).status).toBe(200);
  expect(logged.at(-1)).toContain('"ip":"203.0.113.8"');
});

test('what a trusted proxy cannot be read by is on no list, blocks nobody, and is logged once a kind', async () => {
  const { app, logged } = createTestApp({ environment: { TRUSTED_PROXIES: 'loopback' } });
  const ask = (forwarded: string, key: string) =>
    request(app)
      .get('/v1/things')
      .set({ Authorization: `Bearer ${key}`, 'X-Forwarded-For': forwarded });
  for (let attempt = 0; attempt < 61; attempt++) expect((await ask('unknown', 'sk_test_wrong')).status).toBe(401);
  expect((await ask('_4242424242424242', KEYS.test)).status).toBe(200);
  expect(logged.at(-1)).toContain('"ip":"unknown"');
  const told = logged.filter((line) => line.includes('names no address')).map((line) => JSON.parse(line));
  expect(told.map(({ kind, start }) => [kind, start])).toEqual([
    ['unknown', 'unknown'],
    ['obfuscated', '_4242424'],
  ]);
  expect(isAddressAllowed(NOBODY, ['0.0.0.0/0', '::/0'])).toBe(false);
});

test('a client that is no trusted proxy cannot choose its address', async () => {
  const { app, logged } = createTestApp();
  await request(app)
    .get('/v1/things')
    .set({ Authorization: `Bearer ${KEYS.test}`, 'X-Forwarded-For': '203.0.113.7' });
  expect(logged.at(-1)).toMatch(/"ip":"(::ffff:)?127\.0\.0\.1"|"ip":"::1"/);
});
