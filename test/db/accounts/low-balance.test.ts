/** Alerts of low balances: told in the commit in which the available balance falls below what is named, once, whatever lets it fall. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { updateAccount } from '../../../src/accounts/account/change-account.ts';
import { openAccount } from '../../../src/accounts/account/open-account.ts';
import { placeAccountHold } from '../../../src/accounts/holds/place-hold.ts';
import { acceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import { openBook, payoutRequest, stored, type TestBook } from '../../support/book.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runs } from '../../support/runs.ts';

let database: TestDatabase;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await open();
});
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const open = (bookId?: Uuid) =>
  openBook({ database: database.applicationUrl, sink: webhookSink, forms: LATEST_FORMS, ...(bookId && { bookId }) });
const request = () => ({ requestId: newId(), actor: 'test' });

async function account(amount: bigint, below: bigint | null, of = book): Promise<Uuid> {
  const opening = { currency: 'EUR', name: 'Till', overdraftLimit: 0n, externalId: null, metadata: {} };
  const { resourceId } = await of.submit(stored(openAccount({ ...opening, alertBelow: below, ...request() })));
  if (amount > 0n) await of.fund(resourceId!, amount);
  return resourceId!;
}

const hold = (accountId: Uuid, amount: bigint) =>
  placeAccountHold({
    ...{ accountId, amount, expiresAt: null, description: null, externalId: null, metadata: {} },
    ...request(),
  });

interface Told {
  sequence: bigint;
  object: { balance: { available: bigint }; version: number };
  previous: { balance?: { available: number } };
}
async function told(accountId: Uuid, of = book): Promise<Told[]> {
  const rows = await of.rows<{ sequence: bigint; payload: string }>(
    `SELECT sequence, payload FROM events WHERE book_id = $1 AND object_id = $2 AND type = 'account.balance_low' ORDER BY sequence`,
    accountId,
  );
  return rows.map(({ sequence, payload }) => {
    const { data } = JSON.parse(payload);
    return { sequence, object: data.object, previous: data.previous_attributes };
  });
}

test('a payout that holds too much tells once, with the balance before and after', async () => {
  const id = await account(10_000n, 9_000n);
  const payout = await book.accept({ accountId: id });
  const [event, ...more] = await told(id);
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    object: {
      balance: { posted: 10_000, held: 1_005, available: 8_995 },
      low_balance_alert: { available_below: 9_000 },
    },
    previous: { balance: { held: 0, available: 10_000 } },
  });
  // What is captured and paid was held before.
  await book.settle(await book.reserve(payout), { status: 'paid' });
  await book.accept({ accountId: id });
  expect(await told(id)).toHaveLength(1);
});

test('exactly at the amount nobody is told, and one below it somebody is', async () => {
  const id = await account(10_000n, 8_995n);
  await book.accept({ accountId: id });
  expect(await told(id)).toEqual([]);
  await book.submit(stored(hold(id, 1n)));
  expect(await told(id)).toHaveLength(1);
});

test('again only after it has risen to it', async () => {
  const id = await account(1_000n, 1_000n);
  await book.submit(stored(hold(id, 10n)));
  await book.fund(id, 9n);
  await book.submit(stored(hold(id, 1n)));
  expect(await told(id)).toHaveLength(1);
  await book.fund(id, 2n);
  await book.submit(stored(hold(id, 1n)));
  expect(await told(id)).toHaveLength(2);
});

test('setting, changing and taking it away tell nobody by themselves', async () => {
  const id = await account(1_000n, null);
  const set = (alertBelow: bigint | null) =>
    book.submit(stored(updateAccount({ accountId: id, currency: 'EUR', alertBelow, ...request() })));
  await set(5_000n);
  await book.submit(stored(hold(id, 10n)));
  await set(990n);
  expect(await told(id)).toEqual([]);
  await set(null);
  await book.submit(stored(hold(id, 10n)));
  expect(await told(id)).toEqual([]);
  await set(980n);
  await book.submit(stored(hold(id, 1n)));
  expect(await told(id)).toHaveLength(1);
});

test('of many at once, in two processes, the one that lets it fall tells', async () => {
  const other = await open(book.id);
  const id = await account(1_000_000n, 500_000n);
  const pay = (of: TestBook) =>
    of.submit(stored(acceptPayout(payoutRequest(book.id, { accountId: id, amount: 995n }))));
  const all = Array.from({ length: 600 }, (_, each) => pay(each % 2 === 0 ? book : other));
  await Promise.all(all);
  const [event, ...more] = await told(id);
  expect(more).toEqual([]);
  expect(event!.previous.balance!.available).toBeGreaterThanOrEqual(500_000);
  expect(Number(event!.object.balance.available)).toBeLessThan(500_000);
  await other.close();
});

test('any order of money in and out tells as often as a count of the falls says', async () => {
  const step = fc.record({ up: fc.boolean(), amount: fc.integer({ min: 1, max: 60 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const id = await account(0n, 100n);
      let [available, falls] = [0, 0];
      const commands = steps.flatMap(({ up, amount }) => {
        if (up) available += amount;
        else if (amount > available) return [];
        else {
          if (available >= 100 && available - amount < 100) falls++;
          available -= amount;
        }
        return [up ? () => book.fund(id, BigInt(amount)) : () => book.submit(stored(hold(id, BigInt(amount))))];
      });
      // In order of arrival: together they are one batch, or some.
      await Promise.all(commands.map((send) => send()));
      expect(await told(id)).toHaveLength(falls);
    }),
    { numRuns: runs(15), endOnFailure: true },
  );
});
