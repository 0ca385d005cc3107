/**
 * The product behind a PgBouncer in transaction mode: without named statements, with queues connected directly.
 * TEST_THROUGH_PGBOUNCER=true runs every test of this folder that way.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programOf } from '../../scripts/harness/programs.ts';
import { type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { createPool } from '../../src/db/pool.ts';
import { checkApplicationRole } from '../../src/db/roles.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { GROUPS } from '../../src/groups.ts';
import { createLogger } from '../../src/process/log.ts';
import { verifyDatabase } from '../../src/verify/verify-database.ts';
import { describeWithPgBouncer } from '../support/pgbouncer.ts';
import { type Product, startProduct } from '../support/product.ts';

async function run(command: string, options: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, options, {
    cwd: join(import.meta.dirname, '../..'),
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, stderr };
}

describeWithPgBouncer('behind PgBouncer', () => {
  let product: Product;
  let receiver: Receiver;

  beforeAll(async () => {
    product = await startProduct({ backend: 'postgres', throughPgBouncer: true });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await product?.close();
    await receiver?.close();
  });

  test('payouts of several books are paid and delivered over a few shared connections', async () => {
    const books = await Promise.all(Array.from({ length: 4 }, () => product.organisation()));
    await Promise.all(
      books.map(async ({ client }) => {
        await receiver.subscribe(client);
        const account = await client.openAccount({ funds: 100_000 });
        const accepted = await Promise.all(
          Array.from({ length: 25 }, () => client.requestPayout({ account: account.id, amount: 100 })),
        );
        for (const { body } of accepted) await client.payoutUntil(body.id, 'paid');
      }),
    );
    const findings: unknown[] = [];
    await verifyDatabase(product.runtime.pool, { groups: GROUPS, onFinding: (finding) => findings.push(finding) });
    expect(findings).toEqual([]);
    const servers = await product.pgBouncer!.show('SERVERS');
    expect(servers.length).toBeLessThanOrEqual(4);
  });

  test("the role's settings hold, and settings of a transaction end with it", async () => {
    const { pool } = product.runtime;
    await checkApplicationRole(pool);
    const settings = `SELECT name, setting FROM pg_settings WHERE name IN ('lock_timeout', 'enable_nestloop', 'enable_seqscan') ORDER BY name`;
    const outside = [
      { name: 'enable_nestloop', setting: 'on' },
      { name: 'enable_seqscan', setting: 'off' },
      { name: 'lock_timeout', setting: '5000' },
    ];
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        at % 2 === 0
          ? pool.query(settings)
          : inTransaction(pool, (trx) => trx.query(settings), { begin: 'BEGIN; SET LOCAL enable_nestloop = off' }),
      ),
    );
    for (const [at, { rows }] of seen.entries()) {
      expect(rows).toEqual(at % 2 === 0 ? outside : [{ name: 'enable_nestloop', setting: 'off' }, ...outside.slice(1)]);
    }
  });

  test.each([
    ['verify', 'scripts/verify.ts', []],
    ['keys', 'scripts/keys.ts', ['list']],
    ['ops', 'scripts/ops.ts', ['stuck', 'list']],
  ])('npm run %s works through it', async (_, script, options) => {
    const { status, stderr } = await run(process.execPath, [...programOf(script), ...options], {
      PATH: process.env.PATH,
      DATABASE_URL: product.pgBouncer!.url,
      DATABASE_NAMED_STATEMENTS: 'false',
      QUEUE_DATABASE_URL: product.database.applicationUrl,
    });
    // What takes longer than a moment says how far it is.
    const complaints = stderr.split('\n').filter((line) => line !== '' && !/^\d+ of \d+ rows; now /.test(line));
    expect([status, complaints]).toEqual([0, []]);
  });

  test('named statements fail, which is why a switch turns them off', async () => {
    const url = product.pgBouncer!.url;
    const named = createPool({ url, name: 'test', size: 8, log: createLogger('silent', 'test') });
    const ask = () => named.query({ name: 'test.one', text: 'SELECT 1 AS one' });
    const failures = (await Promise.allSettled(Array.from({ length: 200 }, ask))).filter(
      ({ status }) => status === 'rejected',
    );
    await named.end();
    expect(failures.length).toBeGreaterThan(0);
  });
});
