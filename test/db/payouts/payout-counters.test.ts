/** What is used of limits is compared with the payouts that count. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FilledDatabase, openFilledDatabase } from '../../support/verify-scene.ts';

let filled: FilledDatabase;
beforeAll(async () => {
  filled = await openFilledDatabase();
});
afterAll(() => filled?.close());

test.each([
  'UPDATE payout_counters SET day_amount = day_amount - 1',
  'UPDATE payout_counters SET month_amount = month_amount + 1',
  "UPDATE payout_counters SET day = '2099-01-01'",
  "UPDATE payouts SET counted_on = NULL WHERE counted_on IS NOT NULL AND status <> 'canceled'",
])('%s is found', async (statement) => {
  const findings = await filled.findingsAfter(statement);
  expect(findings.map(({ check }) => check)).toContain('payout_counter.sum');
});

test('what is as it should be is not', async () => {
  expect(await filled.findingsAfter('SELECT 1')).toEqual([]);
});

test('a page reads the payouts of a month by their index', async () => {
  const plan = await filled.lookAfter([], async (pool) => {
    await pool.query('SET LOCAL enable_seqscan = off');
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN SELECT sum(amount) FROM payouts
      WHERE book_id = '${filled.scene.bookId}' AND currency = 'EUR' AND counted_on >= '2027-01-01' AND counted_on <= '2027-01-31'
        AND status NOT IN ('failed', 'canceled')`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('payouts_counted');
});
