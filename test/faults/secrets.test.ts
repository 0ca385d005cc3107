/** Tests of the checks themselves: a secret in a row or on its way to Redis is found, in one piece or two. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CVC } from '../../scripts/faults/payment-plans.ts';
import { CVC_FORMS, formsOf } from '../../scripts/faults/secrets.ts';
import { tablesContaining } from '../../scripts/harness/database-store.ts';
import { startTcpProxy } from '../../scripts/harness/tcp-proxy.ts';
import type { Pool } from '../../src/db/pool.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { lookInto, makeOrganisation, type OrganisationKeys } from '../support/product.ts';

const SECRET = 'whsec/100%_of+it==';

const hashWith = (bytes: Buffer) => Buffer.concat([Buffer.alloc(3, 1), bytes], 32);

let database: TestDatabase;
let pool: Pool;
let keys: OrganisationKeys;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = lookInto(database);
  keys = await makeOrganisation(pool);
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

test('no row holds an issued key', async () => {
  expect(await tablesContaining(pool, [keys.testKey, keys.liveKey].flatMap(formsOf))).toEqual([]);
});

test.each([
  ['as text', 'UPDATE organisations SET name = $1', 'public.organisations', `before ${SECRET} after`],
  ['as the bytes of its text', 'UPDATE books SET chain_hash = $1', 'public.books', hashWith(Buffer.from(SECRET))],
  [
    'as the bytes it stands for',
    'UPDATE books SET chain_hash = $1',
    'public.books',
    hashWith(Buffer.from(SECRET, 'base64')),
  ],
])('a secret in a row is found %s', async (_, tamper, table, value) => {
  await pool.query(tamper, [value]);
  expect(await tablesContaining(pool, formsOf(SECRET))).toContain(table);
});

test.each([
  ['in JSON', JSON.stringify({ cvc: CVC })],
  ['in JSON with spaces', `{"cvc": "${CVC}"}`],
  ['in a form', `cvc=${CVC}&amount=1`],
])('a security code in a row is found %s', async (_, value) => {
  await pool.query('UPDATE organisations SET name = $1', [value]);
  expect(await tablesContaining(pool, CVC_FORMS)).toEqual(['public.organisations']);
});

test('a secret sent to Redis is found, even in two pieces', async () => {
  const received: string[] = [];
  const server = createServer((socket) => socket.on('data', (data) => received.push(String(data))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const proxy = await startTcpProxy(`redis://127.0.0.1:${port}`);
  const client = connect(Number(new URL(proxy.url).port), '127.0.0.1');
  try {
    proxy.watchFor([SECRET, 'something else']);
    client.write(`HSET job data ${SECRET.slice(0, 7)}`);
    await expect.poll(() => received.join('')).toContain('HSET job');
    expect([...proxy.sent]).toEqual([]);
    client.write(`${SECRET.slice(7)} and more`);
    await expect.poll(() => [...proxy.sent]).toEqual([SECRET]);
  } finally {
    client.destroy();
    await proxy.close();
    server.close();
  }
});
