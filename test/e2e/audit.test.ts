/** Audit findings appear in metrics and in the log, and do not affect readiness. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProcess } from '../../scripts/harness/processes.ts';
import { publicId } from '../../src/values/ids.ts';
import { openBook } from '../support/book.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { type Product, startProduct, testEnvironment } from '../support/product.ts';
import { corrupt } from '../support/verify-scene.ts';

describe('a finding', () => {
  let product: Product;

  beforeAll(async () => {
    product = await startProduct({
      backend: 'postgres',
      environment: { AUDIT_TIME_SHARE_PERCENT: '50', SWEEP_INTERVAL_MS: '50' },
    });
  });
  afterAll(() => product?.close());

  const page = async (path: string) => {
    const answer = await fetch(product.baseUrl + path);
    return { status: answer.status, text: await answer.text() };
  };
  const metric = async (name: string) =>
    (await page('/metrics')).text.split('\n').filter((line) => line.startsWith(`countinghouse_audit_${name}`));

  test('is counted in the metrics until it is repaired; readiness and requests continue', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount({ funds: 1_000 });
    await expect.poll(async () => Number((await metric('rows_total'))[0]!.split(' ')[1])).toBeGreaterThan(0);
    expect(await metric('findings{')).toEqual([]);
    const [began] = await metric('last_full_timestamp_seconds');
    expect(Number(began!.split(' ')[1])).toBeGreaterThan(1_600_000_000);

    await corrupt(product.database.superuserUrl, ['UPDATE accounts SET lines = lines + 7 WHERE lines > 0']);
    await expect
      .poll(() => metric('findings{kind="account.totals"}'))
      .toEqual(['countinghouse_audit_findings{kind="account.totals"} 2']);
    expect((await page('/readyz')).status).toBe(200);
    expect((await client.send('GET', `/v1/accounts/${account.id}`)).status).toBe(200);

    await corrupt(product.database.superuserUrl, ['UPDATE accounts SET lines = lines - 7 WHERE lines > 0']);
    await expect.poll(() => metric('findings{')).toEqual([]);
  });
});

test('a sweeper process logs it once, with its ids, at level error, and stays ready', async () => {
  const database = await createTestDatabase();
  const book = await openBook({ database: database.applicationUrl });
  const account = await book.account({ amount: 5n });
  await book.close();
  await corrupt(database.superuserUrl, [`UPDATE accounts SET posted_credits = 6 WHERE id = '${account}'`]);
  const environment = testEnvironment(database, undefined, {
    LOG_LEVEL: 'error',
    SWEEP_INTERVAL_MS: '50',
    AUDIT_TIME_SHARE_PERCENT: '50',
  });
  const sweeper = await startProcess(['sweeper'], environment);
  const said = () =>
    sweeper.output
      .split('\n')
      .filter((line) => line.includes('account.totals'))
      .map((line) => JSON.parse(line));
  await expect.poll(said).toMatchObject([
    {
      level: 50,
      check: 'account.totals',
      book: publicId('book', book.id),
      ids: { account: publicId('account', account) },
    },
  ]);
  const rounds = async () =>
    (await (await fetch(`${sweeper.url}/metrics`)).text()).match(
      /^countinghouse_audit_last_full_timestamp_seconds (\S+)$/m,
    )?.[1];
  const first = await rounds();
  await expect.poll(rounds).not.toBe(first);
  expect((await fetch(`${sweeper.url}/readyz`)).status).toBe(200);
  await sweeper.terminate();
  expect(said()).toHaveLength(1);
  await database.drop();
});
