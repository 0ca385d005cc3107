/** Balances of all accounts at the end of a day, against plain sums over the entries: by effect and as posted, as of any entry. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays, dayOf } from '../../../src/calendar/day.ts';
import { postEntry } from '../../../src/journal/entries/post-entries.ts';
import { type BalanceOfAccount, columnsOf, TrialBalance } from '../../../src/ledger/balances/trial-balance.ts';
import { readBalances } from '../../../src/ledger/balances/trial-balance-store.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const FIRST_DAY = '2026-03-01';
const DAY_MS = 86_400_000;
let database: TestDatabase;
let book: TestBook;
let now = Date.parse(`${FIRST_DAY}T10:00:00Z`);

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl, clock: { now: () => now }, forms: LATEST_FORMS });
});
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

interface Moved {
  readonly sequence: bigint;
  readonly postedOn: string;
  readonly effectiveOn: string;
  readonly from: Uuid;
  readonly to: Uuid;
  readonly amount: bigint;
}

/** Balances of customers, who grow by credits, and of the pool, which grows by debits. */
function sumsOf(moved: readonly Moved[], pool: Uuid, counts: (one: Moved) => boolean): [Uuid, bigint][] {
  const balances = new Map<Uuid, bigint>();
  const add = (id: Uuid, amount: bigint) => balances.set(id, (balances.get(id) ?? 0n) + amount);
  for (const one of moved.filter(counts)) {
    add(one.from, one.from === pool ? one.amount : -one.amount);
    add(one.to, one.to === pool ? -one.amount : one.amount);
  }
  return [...balances].filter(([, balance]) => balance !== 0n).sort(([a], [b]) => (a < b ? -1 : 1));
}

async function read(day: string, throughSequence: bigint, axis: 'effective' | 'posted'): Promise<BalanceOfAccount[]> {
  const rows: BalanceOfAccount[] = [];
  for await (const page of readBalances(book.pool, book.id, { day, timeZone: 'UTC', throughSequence, axis }))
    rows.push(...page);
  return rows;
}

test('equal plain sums, on every day, on either axis, as of every entry', async () => {
  const accounts: Uuid[] = [];
  for (let count = 0; count < 4; count++) accounts.push(await book.account({ amount: 1_000n }));
  const { id: pool } = await book.row<{ id: Uuid }>("SELECT id FROM accounts WHERE book_id = $1 AND code = 'pool'");
  const moved: Moved[] = accounts.map((to, at) => ({
    ...{ sequence: BigInt(at + 1), postedOn: FIRST_DAY, effectiveOn: FIRST_DAY },
    ...{ from: pool, to, amount: 1_000n },
  }));
  for (let count = 0; count < 40; count++) {
    if (count % 4 === 3) now += DAY_MS;
    const [from, to] = [accounts[count % 4]!, accounts[(count + 1 + (count % 3)) % 4]!];
    const postedOn = dayOf(now, 'UTC');
    const effectiveOn = count % 3 === 0 ? addDays(postedOn, -(count % 5)) : postedOn;
    const amount = BigInt(1 + (count % 7));
    const posting = { debit: from, credit: to, amount, currency: 'EUR' };
    const answer = await book.submit(
      postEntry(
        { bookId: book.id, requestId: newId(), actor: 'test' },
        { postings: [posting], effectiveOn, description: null, externalId: null, metadata: {}, expect: [] },
      ),
    );
    expect(answer.refused).toBeUndefined();
    moved.push({ sequence: BigInt(moved.length + 1), postedOn, effectiveOn, from, to, amount });
  }
  for (let day = addDays(FIRST_DAY, -6); day <= addDays(dayOf(now, 'UTC'), 1); day = addDays(day, 1))
    for (const through of [1n, 4n, 17n, 30n, 44n]) {
      const isIn = ({ sequence }: Moved) => sequence <= through;
      const posted = await read(day, through, 'posted');
      expect(posted.map(({ id, balance }) => [id, balance])).toEqual(
        sumsOf(moved, pool, (one) => isIn(one) && one.postedOn <= day),
      );
      const effective = await read(day, through, 'effective');
      expect(effective.map(({ id, balance }) => [id, balance])).toEqual(
        sumsOf(moved, pool, (one) => isIn(one) && one.effectiveOn <= day),
      );
    }
});

test('the digest is over lines of accounts in order, and debits are credits in each currency', async () => {
  const rows = await read(dayOf(now, 'UTC'), 44n, 'effective');
  const trial = new TrialBalance();
  for (const row of rows) trial.add(row);
  const [total] = [...trial.totals.values()];
  expect(total!.debit).toBe(total!.credit);
  expect(total!.debit).toBeGreaterThan(0n);
  const text = rows.map((row) => {
    const { debit, credit } = columnsOf(row);
    return `${publicId('account', row.id)},EUR,${debit},${credit}\n`;
  });
  expect(trial.digest()).toBe(createHash('sha256').update(text.join('')).digest('hex'));
  expect(() => {
    const again = new TrialBalance();
    for (const row of rows.toReversed()) again.add(row);
  }).toThrow(RangeError);
});

test.each([
  ['debit', 5n, { debit: 5n, credit: 0n }],
  ['debit', -5n, { debit: 0n, credit: 5n }],
  ['credit', 5n, { debit: 0n, credit: 5n }],
  ['credit', -5n, { debit: 5n, credit: 0n }],
] as const)('an account of the %s side at %s stands in one column', (side, balance, columns) => {
  expect(columnsOf({ side, balance })).toEqual(columns);
});
