/** Customer accounts: opening, funding, freezing, closing and listing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listAccounts } from '../../../src/accounts/account/account-list-store.ts';
import { defaultAccounts } from '../../../src/accounts/account/account-profile-table.ts';
import { type UpdateAccount, updateAccount } from '../../../src/accounts/account/change-account.ts';
import { findCustomerAccount } from '../../../src/accounts/account/customer-account-store.ts';
import { openAccount } from '../../../src/accounts/account/open-account.ts';
import { setOverdraftCeiling } from '../../../src/accounts/account/overdraft-ceiling-store.ts';
import { receiveTransfer } from '../../../src/accounts/inbound-transfers/receive-transfer.ts';
import type { Stored } from '../../../src/idempotency/idempotency-key.ts';
import { available } from '../../../src/ledger/account/account.ts';
import type { Refusal } from '../../../src/ledger/command/command.ts';
import { INTAKE_TOTAL, WARN_TOTAL } from '../../../src/ledger/command/lifetime-total.ts';
import { countBooksNearTotals } from '../../../src/operations/lifetime-total-store.ts';
import { listBooks } from '../../../src/organisations/organisation-store.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
});

beforeEach(async () => {
  await book?.close();
  book = await openBook({ database: database.applicationUrl });
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const request = () => ({ requestId: newId(), actor: 'test' });
const account = async (id: Uuid) => (await findCustomerAccount(book.pool, book.id, id))!;
const lastEvent = async () =>
  JSON.parse(
    (
      await book.row<{ payload: string }>(
        'SELECT payload FROM events WHERE book_id = $1 ORDER BY sequence DESC LIMIT 1',
      )
    ).payload,
  );

const receive = (
  accountId: Uuid,
  amount: bigint,
  change: { currency?: string; description?: string } = {},
): Promise<Stored | Refusal> =>
  book.submit(
    receiveTransfer({
      bookId: book.id,
      accountId,
      amount,
      currency: 'EUR',
      description: null,
      salt: Buffer.alloc(16, 5),
      ...change,
      ...request(),
    }),
  );

const update = (accountId: Uuid, change: Partial<UpdateAccount>) =>
  book.submit(updateAccount({ accountId, currency: 'EUR', ...change, ...request() }));

describe('opening', () => {
  test('creates the account with its profile, and answers with both', async () => {
    const answer = await book.submit(
      openAccount({
        currency: 'KWD',
        name: 'Payroll "A"',
        overdraftLimit: 250n,
        externalId: 'x-1',
        metadata: { a: 'b' },
        ...request(),
      }),
    );
    if (answer.refused) throw new Error('refused');
    expect(JSON.parse(answer.body.text)).toMatchObject({
      id: publicId('account', answer.resourceId!),
      currency: 'KWD',
      currency_exponent: 3,
      status: 'open',
      balance: { posted: 0, held: 0, available: 0 },
      overdraft_limit: 250,
      is_default: true,
      external_id: 'x-1',
      metadata: { a: 'b' },
    });
    expect(await lastEvent()).toMatchObject({
      type: 'account.created',
      data: { object: JSON.parse(answer.body.text) },
    });
    expect((await account(answer.resourceId!)).profile).toMatchObject({
      name: 'Payroll "A"',
      externalId: 'x-1',
      metadata: { a: 'b' },
      version: 1,
    });
  });

  test('a withdrawn currency opens no account, and those that exist go on', async () => {
    const open = (of: TestBook) =>
      of.submit(
        openAccount({ currency: 'BGN', name: 'Any', overdraftLimit: 0n, externalId: null, metadata: {}, ...request() }),
      );
    const now = { at: Date.parse('2025-12-31T23:59:59.999Z') };
    const early = await openBook({ database: database.applicationUrl, clock: { now: () => now.at } });
    try {
      const opened = await open(early);
      if (!('resourceId' in opened)) throw new Error('refused');
      now.at = Date.parse('2026-01-01T00:00:00Z');
      const detail =
        'BGN is withdrawn since 2026-01-01, and no account is opened in it; its successor is EUR. Accounts that exist go on.';
      // Thrown, as the request error that it is: nothing is kept under the key.
      const fieldErrors = [{ code: 'currency_unsupported', param: '/currency', detail }];
      await expect(open(early)).rejects.toMatchObject({ code: 'currency_unsupported', fieldErrors });
      const accountId = opened.resourceId!;
      const taken = await early.submit(
        receiveTransfer({
          ...{ bookId: early.id, accountId, amount: 100n, currency: 'BGN', description: null },
          ...{ salt: Buffer.alloc(16, 5), ...request() },
        }),
      );
      expect(taken).toMatchObject({ status: 201 });
    } finally {
      await early.close();
    }
  });

  test('the first account of a currency is its default, even when several are opened at once', async () => {
    const ids = await Promise.all(['EUR', 'EUR', 'JOD', 'EUR'].map((currency) => book.account({ currency })));
    expect((await defaultAccounts.find(book.pool, book.id, 'EUR'))?.accountId).toBe(ids[0]);
    expect((await defaultAccounts.find(book.pool, book.id, 'JOD'))?.accountId).toBe(ids[2]);
    expect((await defaultAccounts.find(book.pool, book.id, 'USD'))?.accountId).toBeUndefined();
    const defaults = await Promise.all(ids.map(async (id) => (await account(id)).isDefault));
    expect(defaults).toEqual([true, false, true, false]);
  });
});

describe('an overdraft', () => {
  const open = (of: TestBook, overdraftLimit: bigint) =>
    of.submit(
      openAccount({ currency: 'EUR', name: 'Any', overdraftLimit, externalId: null, metadata: {}, ...request() }),
    );

  test.each`
    mode      | ceiling
    ${'test'} | ${1_000_000_000_000n}
    ${'live'} | ${0n}
  `('of a new $mode book is at most $ceiling, until the operator sets another limit', async ({ mode, ceiling }) => {
    const of = await openBook({ database: database.applicationUrl, mode });
    try {
      expect(await open(of, ceiling)).toMatchObject({ status: 201 });
      const refused = { refused: 'limit_exceeded', param: '/overdraft_limit', facts: { limit: ceiling } };
      expect(await open(of, ceiling + 1n)).toMatchObject(refused);
      expect(await setOverdraftCeiling(of.pool, of.id, 5_000_000_000_000n)).toBe(true);
      expect(await open(of, 5_000_000_000_000n)).toMatchObject({ status: 201 });
      expect(await open(of, 5_000_000_000_001n)).toMatchObject({ refused: 'limit_exceeded' });
      expect((await listBooks(of.pool, { after: undefined, limit: 500 })).find(({ id }) => id === of.id)).toEqual({
        id: of.id,
        organisation: expect.any(String),
        kind: 'customer',
        mode,
        overdraftCeiling: 5_000_000_000_000n,
      });
    } finally {
      await of.close();
    }
  });

  test('ceiling is set only for a book that exists', async () => {
    expect(await setOverdraftCeiling(book.pool, newId(), 1n)).toBe(false);
  });
});

test('an operator sees the count of books near their total limit, before they refuse money', async () => {
  const id = await book.account({ amount: 5n });
  const before = await countBooksNearTotals(book.pool);
  const put = (total: bigint) =>
    book.pool.query("UPDATE accounts SET posted_debits = $2 WHERE book_id = $1 AND code = 'pool'", [book.id, total]);
  await put(WARN_TOTAL);
  expect(await countBooksNearTotals(book.pool)).toBe(before);
  await put(WARN_TOTAL + 1n);
  expect(await countBooksNearTotals(book.pool)).toBe(before + 1);
  expect(await receive(id, 5n)).toMatchObject({ status: 201 });
  await put(INTAKE_TOTAL - 4n);
  expect(await receive(id, 5n)).toMatchObject({ refused: 'limit_exceeded', param: '/amount' });
});

describe('an inbound transfer', () => {
  test('is posted from the pool to the customer, its description stored beside the journal', async () => {
    const id = await book.account();
    const answer = await receive(id, 1_500n, { description: 'salary' });
    expect(answer).toMatchObject({ status: 201, resource: 'inbound_transfer' });
    expect(available((await account(id)).account)).toBe(1_500n);
    expect(await book.row('SELECT description FROM entry_texts WHERE book_id = $1')).toEqual({ description: 'salary' });
    expect(await lastEvent()).toMatchObject({
      type: 'account.updated',
      data: { object: { balance: { posted: 1_500 } }, previous_attributes: { balance: { posted: 0 } } },
      journal_entries: [{ step: 'received' }],
    });
  });

  test.each`
    to                    | answer                  | made
    ${'nobody'}           | ${'resource_not_found'} | ${() => newId()}
    ${'another currency'} | ${'currency_mismatch'}  | ${() => book.account({ currency: 'JOD' })}
    ${'a closed account'} | ${'account_closed'}     | ${closed}
    ${'more than fits'}   | ${'limit_exceeded'}     | ${full}
  `('to $to is refused: $answer', async ({ answer, made }) => {
    const id = await made();
    const before = await book.row('SELECT * FROM books WHERE id = $1');
    expect(await receive(id, 5n)).toMatchObject({ refused: answer });
    expect(await book.row('SELECT * FROM books WHERE id = $1')).toEqual(before);
  });

  test('to a frozen account is accepted', async () => {
    const id = await book.account();
    await book.setStatus('freeze', id);
    expect(await receive(id, 5n)).toMatchObject({ status: 201 });
  });

  async function closed() {
    const id = await book.account();
    await book.setStatus('close', id);
    return id;
  }

  async function full() {
    const id = await book.account();
    await receive(id, INTAKE_TOTAL - 4n);
    return id;
  }
});

describe('states', () => {
  test.each`
    from        | action        | answer
    ${'open'}   | ${'freeze'}   | ${{ status: 200 }}
    ${'open'}   | ${'close'}    | ${{ status: 200 }}
    ${'open'}   | ${'unfreeze'} | ${{ refused: 'state_conflict', facts: { current_status: 'open' } }}
    ${'frozen'} | ${'unfreeze'} | ${{ status: 200 }}
    ${'frozen'} | ${'close'}    | ${{ status: 200 }}
    ${'frozen'} | ${'freeze'}   | ${{ refused: 'state_conflict', facts: { current_status: 'frozen' } }}
    ${'closed'} | ${'freeze'}   | ${{ refused: 'state_conflict', facts: { allowed_actions: [] } }}
    ${'closed'} | ${'unfreeze'} | ${{ refused: 'state_conflict', facts: { allowed_actions: [] } }}
    ${'closed'} | ${'close'}    | ${{ refused: 'state_conflict', facts: { allowed_actions: [] } }}
  `('$action of an account that is $from answers $answer', async ({ from, action, answer }) => {
    const id = await book.account();
    if (from === 'frozen') await book.setStatus('freeze', id);
    if (from === 'closed') await book.setStatus('close', id);
    expect(await book.setStatus(action, id)).toMatchObject(answer);
  });

  test.each`
    what                       | made                                  | blockers
    ${'a balance'}             | ${() => book.account({ amount: 5n })} | ${['balance']}
    ${'a payout that is held'} | ${pending}                            | ${['balance', 'holds', 'payouts_in_flight']}
    ${'a payout on its way'}   | ${onItsWay}                           | ${['payouts_in_flight']}
  `('an account with $what is not closed, and the answer lists what blocks it', async ({ made, blockers }) => {
    const answer = await book.setStatus('close', await made());
    expect(answer).toMatchObject({ refused: 'account_not_empty' });
    const { blocked_by } = (answer as Refusal).facts as { blocked_by: { type: string }[] };
    expect(blocked_by.map(({ type }) => type)).toEqual(blockers);
  });

  async function pending() {
    const id = await book.account({ amount: 1_005n });
    await book.accept({ accountId: id });
    return id;
  }

  async function onItsWay() {
    const id = await book.account({ amount: 1_000n });
    await book.reserve(await book.accept({ accountId: id, fee: 0n }));
    return id;
  }
});

describe('an update', () => {
  test('changes the named fields and leaves the others', async () => {
    const id = await book.account();
    await update(id, { name: 'New', metadata: { k: 'v' } });
    await update(id, { externalId: 'e' });
    expect((await account(id)).profile).toMatchObject({
      name: 'New',
      metadata: { k: 'v' },
      externalId: 'e',
      version: 3,
    });
    expect(await update(id, { externalId: null })).toMatchObject({ status: 200 });
    expect((await account(id)).profile.externalId).toBeNull();
  });

  test('with a stale version is refused', async () => {
    const id = await book.account();
    await update(id, { name: 'One', ifMatch: 1 });
    expect(await update(id, { name: 'Two', ifMatch: 1 })).toMatchObject({
      refused: 'version_mismatch',
      facts: { version: 2 },
    });
  });

  test('of an unknown account is not found', async () => {
    expect(await update(newId(), { name: 'X' })).toMatchObject({ refused: 'resource_not_found' });
  });
});

describe('a list', () => {
  test('is newest first, in pages, with filters; metadata filters match the current values', async () => {
    const ids: Uuid[] = [];
    for (const currency of ['EUR', 'JOD', 'EUR', 'EUR']) ids.push(await book.account({ currency }));
    await book.setStatus('freeze', ids[2]!);
    await update(ids[0]!, { metadata: { shop: 'north' } });
    await update(ids[3]!, { metadata: { shop: 'north' }, externalId: 'e-3' });
    await update(ids[0]!, { metadata: { shop: 'south' } });
    const list = async (filter: Parameters<typeof listAccounts>[2], page = {}) =>
      (await listAccounts(book.pool, book.id, filter, { limit: 10, ...page })).rows.map(({ profile }) =>
        ids.indexOf(profile.accountId),
      );
    expect(await list({})).toEqual([3, 2, 1, 0]);
    expect(await list({ currency: 'EUR' })).toEqual([3, 2, 0]);
    expect(await list({ statuses: ['frozen', 'closed'] })).toEqual([2]);
    expect(await list({ externalId: 'e-3' })).toEqual([3]);
    expect(await list({ metadata: { shop: 'north' } })).toEqual([3]);
    expect(await list({ metadata: { shop: 'south' } })).toEqual([0]);
    expect(await list({}, { limit: 2 })).toEqual([3, 2]);
    expect(await list({}, { limit: 2, startingAfter: ids[2] })).toEqual([1, 0]);
    expect(await list({}, { limit: 2, endingBefore: ids[0] })).toEqual([2, 1]);
  });
});
