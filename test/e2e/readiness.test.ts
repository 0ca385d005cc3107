/** Readiness depends on Postgres alone, not on the requests of one book. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../scripts/harness/client.ts';
import { PATIENCE_MS } from '../../scripts/harness/until.ts';
import { Readiness } from '../../src/db/readiness.ts';
import { createLogger } from '../../src/process/log.ts';
import { newId } from '../../src/values/ids.ts';
import { describeWithPgBouncer } from '../support/pgbouncer.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';

const SLEEP = 'SELECT pg_sleep(60)';

describe('directly', () => slowStatements(false));
describeWithPgBouncer('through PgBouncer', () => slowStatements(true));

function slowStatements(throughPgBouncer: boolean): void {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ backend: 'postgres', pools: [], throughPgBouncer });
  });
  afterAll(() => product?.close());

  const ready = async () => (await fetch(`${product.baseUrl}/readyz`)).status;

  test('slow statements on every connection of the pool leave the process ready', async () => {
    expect(await ready()).toBe(200);
    const { pool, config } = product.runtime;
    const slow = Array.from({ length: config.DATABASE_POOL_SIZE * 3 }, () => pool.query(SLEEP).catch(() => undefined));
    await until(
      () => pool.waitingCount,
      (count) => count > 0,
    );
    const answers = await Promise.all(Array.from({ length: 20 }, ready));
    expect(new Set(answers)).toEqual(new Set([200]));
    let over = false;
    void Promise.all(slow).then(() => {
      over = true;
    });
    // Those that wait for a connection are canceled once they run.
    const superuser = lookInto(product.database);
    await until(
      async () => {
        await superuser.query(
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = $1 AND state = 'active'",
          [SLEEP],
        );
        return over;
      },
      (all) => all,
    );
    await superuser.end();
  });
}

test('an API without workers is ready until jobs have waited for long, and again once a worker takes them', async () => {
  const stalledQueues = { lookEveryMs: 20, stillAfterMs: 100 };
  const product = await startProduct({ backend: 'postgres', pools: [], stalledQueues });
  const readiness = async () => {
    const answer = await fetch(`${product.baseUrl}/readyz`);
    return [answer.status, await answer.json()];
  };
  expect(await readiness()).toEqual([200, { status: 'ok', postgres: 'ok', draining: false }]);
  const job = { name: 'payout.reserve' as const, data: { bookId: newId(), ids: [newId()] } };
  await product.runtime.queues.add('ledger', 0, [job], { limitMs: PATIENCE_MS });
  await expect
    .poll(readiness)
    .toEqual([503, { status: 'unavailable', postgres: 'ok', draining: false, stalled_queue: 'ledger-0' }]);
  await product.startPools(['ledger']);
  await expect.poll(readiness).toEqual([200, { status: 'ok', postgres: 'ok', draining: false }]);
  await product.close();
});

test('concurrent probes share one statement, and a later probe sends another', async () => {
  const product = await startProduct({ backend: 'postgres', pools: [] });
  const relay = await listenFor(product.runtime.config.DATABASE_URL);
  const readiness = new Readiness({ DATABASE_URL: relay.url }, createLogger('silent', 'test'));
  expect(await Promise.all(Array.from({ length: 50 }, () => readiness.postgresAnswers()))).not.toContain(false);
  expect(relay.heard('SELECT 1')).toBe(1);
  expect(await readiness.postgresAnswers()).toBe(true);
  expect(relay.heard('SELECT 1')).toBe(2);
  await readiness.close();
  relay.close();
  await product.close();
});

test('an unreachable Postgres is not ready', async () => {
  const away = new Readiness({ DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' }, createLogger('silent', 'test'));
  expect(await away.postgresAnswers()).toBe(false);
  await away.close();
});

test('a Postgres that accepts the connection and does not answer is not ready', async () => {
  const silent = createServer(() => undefined);
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const url = `postgres://x:y@127.0.0.1:${port}/z`;
  const readiness = new Readiness({ DATABASE_URL: url }, createLogger('silent', 'test'), { timeoutMs: 20 });
  expect(await Promise.all([readiness.postgresAnswers(), readiness.postgresAnswers()])).toEqual([false, false]);
  silent.close();
});

/** A relay to Postgres that counts what its clients send. */
async function listenFor(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const { hostname, port } = url;
  let said = '';
  const server = createServer((client) => {
    const postgres = connect(Number(port), hostname);
    client.on('data', (part) => {
      said += part.toString('latin1');
    });
    client.on('error', () => postgres.destroy());
    postgres.on('error', () => client.destroy());
    client.pipe(postgres).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    heard: (text: string) => said.split(text).length - 1,
    close: () => server.close(),
  };
}
