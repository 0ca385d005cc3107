/** Money that arrives at a bank: rows I of the scenarios, from the bank's file to the books. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { type CreditRuntime, takeCredits } from '../../../src/inbound/credits/take-credits.ts';
import { referenceOf } from '../../../src/inbound/references/receive-reference-store.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { inboundCredits } from '../../../src/outside/credits/credit-table.ts';
import { createLogger } from '../../../src/process/log.ts';
import { systemClock } from '../../../src/values/clock.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { TestBank } from '../../support/bank.ts';
import { camt054, type EntryOptions } from '../../support/bank-files.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let superuser: Pool;
let book: TestBook;
let bank: TestBank;
let operator: BookId;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = createPool({ url: database.superuserUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
});
beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl, mode: 'live', forms: LATEST_FORMS });
  bank = new TestBank(database);
  operator = (await operatorBooks(book.pool)).live;
});
afterEach(async () => {
  const findings = [...(await findingsOf(book)), ...(await findingsOf({ pool: book.pool, id: operator }))];
  await superuser.query('TRUNCATE inbound_credits, receive_references');
  await bank.close();
  await book.close();
  expect(findings).toEqual([]);
});
afterAll(async () => {
  await superuser?.end();
  await database?.drop();
});

const runtime = (change: Partial<CreditRuntime> = {}): CreditRuntime => ({
  pool: book.pool,
  clock: systemClock,
  committer: book.committer,
  secretBox: createSecretBox(database.encryptionKey),
  rowFailed: async (_rows, _row, error) => {
    throw error;
  },
  ...change,
});

const reference = (accountId: Uuid) =>
  referenceOf(book.pool, operator, { ownerBookId: book.id, accountId }, systemClock.now());

const counter =
  (prefix: string, count = 0) =>
  () => {
    count += 1;
    return `${prefix}${count}`;
  };
const newName = counter('N');
const newBankReference = counter('B');
const credit = (remittance: string | undefined, change: Partial<EntryOptions> = {}): EntryOptions => ({
  ...{ amount: '50.00', direction: 'CRDT' as const, bankReference: newBankReference() },
  transactions: [{ ...(remittance === undefined ? {} : { remittance }) }],
  ...change,
});

async function tell(entries: readonly EntryOptions[], options: Parameters<typeof camt054>[1] = {}): Promise<void> {
  const id = newName();
  bank.send(`${id}.xml`, camt054(entries, { id, ...options }));
  await bank.rail.work();
}

const due = async () => {
  const { rows } = await superuser.query<{ id: Uuid }>(
    'SELECT id FROM inbound_credits WHERE book_id = $1 AND due_at IS NOT NULL ORDER BY created_at, id',
    [operator],
  );
  return rows.map(({ id }) => id);
};
const take = async (of = runtime()) => takeCredits(of, operator, await due());

const transfers = () =>
  book.rows<{
    account_id: Uuid;
    amount: bigint;
    bank_reference: string;
    remittance: string;
    payer_name: string | null;
  }>(
    'SELECT account_id, amount, bank_reference, remittance, payer_name FROM inbound_transfers WHERE book_id = $1 AND bank_reference IS NOT NULL ORDER BY id',
  );
const entriesOf = () =>
  book.rows<{ debit: string; credit: Uuid; amount: bigint }>(
    `SELECT d.code AS debit, p.credit_account_id AS credit, p.amount FROM entries e
     JOIN postings p ON p.book_id = e.book_id AND p.entry_sequence = e.sequence
     JOIN accounts d ON d.book_id = p.book_id AND d.id = p.debit_account_id
     WHERE e.book_id = $1 AND e.resource = 'inbound_transfer' ORDER BY e.sequence`,
  );
const events = async () =>
  (await book.rows<{ type: string }>('SELECT type FROM events WHERE book_id = $1 ORDER BY sequence')).map(
    ({ type }) => type,
  );
async function unallocated(): Promise<{ detail: string; amount: bigint; account_id: Uuid | null }[]> {
  const { rows } = await superuser.query(
    `SELECT e.detail, e.amount, e.account_id FROM exceptions e JOIN inbound_credits c ON c.book_id = e.book_id AND c.id = e.resource_id
     WHERE e.book_id = $1 AND e.kind = 'inbound_unallocated' ORDER BY e.place`,
    [operator],
  );
  return rows;
}
const statuses = async () => {
  const { rows } = await superuser.query<{ status: string }>(
    'SELECT status FROM inbound_credits WHERE book_id = $1 ORDER BY created_at, status',
    [operator],
  );
  return rows.map(({ status }) => status);
};

test('I1: the reference with blanks and in lower case: pool to the account, and both events', async () => {
  const accountId = await book.account();
  const told = (await reference(accountId))
    .match(/.{1,4}/g)!
    .join(' ')
    .toLowerCase();
  await tell([credit(`Invoice 7, ${told}`, { bankReference: 'I1' })]);
  expect(await transfers()).toEqual([]);
  await take();
  expect(await transfers()).toEqual([
    { account_id: accountId, amount: 5_000n, bank_reference: 'I1', remittance: `Invoice 7, ${told}`, payer_name: null },
  ]);
  expect(await entriesOf()).toEqual([{ debit: 'pool', credit: accountId, amount: 5_000n }]);
  expect((await events()).slice(-2)).toEqual(['inbound_transfer.received', 'account.updated']);
  expect(await statuses()).toEqual(['posted']);
  expect(await unallocated()).toEqual([]);
});

test('I2: the same credit in a second file, and as a duplicate, is booked once', async () => {
  const accountId = await book.account();
  const one = credit(await reference(accountId));
  await tell([one]);
  await take();
  await tell([one, credit(undefined, { direction: 'DBIT', amount: '1.00' })]);
  await tell([one], { copy: 'DUPL' });
  await take();
  expect(await transfers()).toHaveLength(1);
  expect(await unallocated()).toEqual([]);
});

describe('I3: an exception of the operator’s, and nothing in a customer’s book', () => {
  const only = async (entries: readonly EntryOptions[], why: RegExp) => {
    await tell(entries);
    await take();
    expect(await transfers()).toEqual([]);
    const found = await unallocated();
    expect(found).toHaveLength(entries.length);
    for (const one of found) {
      expect(one).toMatchObject({ amount: 5_000n, account_id: null });
      expect(one.detail).toMatch(why);
    }
    await take();
    expect(await unallocated()).toHaveLength(entries.length);
  };

  test('no reference', async () => only([credit('Thank you')], /names no reference/));
  test('no remittance', async () => only([credit(undefined)], /names no reference/));
  test('two references', async () => {
    const [one, other] = [await book.account(), await book.account()];
    await only([credit(`${await reference(one)} ${await reference(other)}`)], /several accounts/);
  });
  test('another currency', async () => {
    const accountId = await book.account({ currency: 'USD' });
    await only([credit(await reference(accountId))], /another currency/);
  });
  test('a closed account', async () => {
    const accountId = await book.account();
    const named = await reference(accountId);
    await book.setStatus('close', accountId);
    await only([credit(named)], /is closed/);
  });
  test('no reference of the bank', async () => {
    const named = await reference(await book.account());
    await only([credit(named, { bankReference: undefined })], /no reference of the bank/);
  });
  test('a reference that two credits of the message share', async () => {
    const named = await reference(await book.account());
    const same = { bankReference: 'SAME' };
    await only([credit(named, same), credit(named, same)], /that of another credit too/);
  });
  test('and told again in another file, they are the same two', async () => {
    const named = await reference(await book.account());
    const both = [credit(named, { bankReference: 'TWICE' }), credit(named, { bankReference: 'TWICE' })];
    await only(both, /another credit/);
    await tell(both);
    await take();
    expect(await unallocated()).toHaveLength(2);
  });
  test('a reference that a credit of another amount had is none, and the first stays', async () => {
    const named = await reference(await book.account());
    await tell([credit(named, { bankReference: 'USED' })]);
    await take();
    await tell([credit(named, { bankReference: 'USED', amount: '51.00' })]);
    await take();
    expect(await transfers()).toHaveLength(1);
    expect(await unallocated()).toMatchObject([{ amount: 5_100n }]);
  });
});

describe('of an entry with several transactions', () => {
  const batch = async (amount: string, others: readonly (string | undefined)[]) => {
    const [one, other] = [await book.account(), await book.account()];
    const named = [await reference(one), await reference(other)];
    const transactions = others.map((own, at) => ({
      ...{ remittance: named[at]!, bankReference: newBankReference() },
      ...(own !== undefined && { amount: own }),
    }));
    await tell([credit(undefined, { amount, transactions })]);
    await take();
    return [one, other];
  };
  const findings = async () => {
    const found: { kind: string; detail: string }[] = [];
    await bank.rail.openFindings(async (finding) => found.push(finding));
    return found;
  };

  test('each is a credit of its own, of the account that it names', async () => {
    const [one, other] = await batch('50.00', ['20.00', '30.00']);
    const booked = (await transfers()).map(({ account_id: account, amount }) => [account, amount]);
    expect(new Map(booked as [Uuid, bigint][])).toEqual(
      new Map([
        [one, 2_000n],
        [other, 3_000n],
      ]),
    );
    expect(await findings()).toEqual([]);
  });

  test.each`
    others
    ${['20.00', '31.00']}
    ${['20.00', undefined]}
    ${[undefined, undefined]}
  `('that do not come to its amount ($others), nobody is credited, and it is one exception', async ({ others }) => {
    await batch('50.00', others);
    expect(await transfers()).toEqual([]);
    expect(await statuses()).toEqual([]);
    expect(await findings()).toMatchObject([
      { kind: 'file_amount_mismatch', detail: expect.stringMatching(/^Entry 1 .* do not come to its amount/) },
    ]);
  });
});

test('a reference that a later page of the message repeats is none either', async () => {
  const named = await reference(await book.account());
  const others = Array.from({ length: 600 }, (_, index) =>
    credit(undefined, { direction: 'DBIT', amount: '1.00', bankReference: `D${index}` }),
  );
  await tell([credit(named, { bankReference: 'FAR' }), ...others, credit(named, { bankReference: 'FAR' })]);
  await take();
  expect(await transfers()).toEqual([]);
  expect(await unallocated()).toHaveLength(2);
});

test('what is not booked is no money: a pending credit waits for its booking', async () => {
  const named = await reference(await book.account());
  await tell([credit(named, { status: 'PDNG', bankReference: 'P1' })]);
  expect(await due()).toEqual([]);
  await tell([credit(named, { bankReference: 'P1' })]);
  await take();
  expect(await transfers()).toHaveLength(1);
});

test('I4: a frozen account receives all the same', async () => {
  const accountId = await book.account();
  const named = await reference(accountId);
  await book.setStatus('freeze', accountId);
  await tell([credit(named)]);
  await take();
  expect(await entriesOf()).toEqual([{ debit: 'pool', credit: accountId, amount: 5_000n }]);
});

test('a reference stays, and is of one account', async () => {
  const [one, other] = [await book.account(), await book.account()];
  const both = await Promise.all([reference(one), reference(one), reference(one)]);
  expect(new Set(both).size).toBe(1);
  expect(await reference(one)).toBe(both[0]);
  expect(await reference(other)).not.toBe(both[0]);
});

describe('a worker that dies', () => {
  /** The commit is made, and its answer is lost. */
  const dyingBehindCommit = () => ({
    submit: async (...command: Parameters<TestBook['committer']['submit']>) => {
      await book.committer.submit(...command);
      throw new Error('killed');
    },
  });
  const failing = async (change: Partial<CreditRuntime>) =>
    expect(take(runtime({ ...change, committer: dyingBehindCommit() as never }))).rejects.toThrow('killed');

  test('behind the transfer: it is booked once', async () => {
    await tell([credit(await reference(await book.account()))]);
    await failing({});
    expect(await statuses()).toEqual(['allocated']);
    await take();
    await take();
    expect(await statuses()).toEqual(['posted']);
    expect(await entriesOf()).toHaveLength(1);
  });

  test('behind the exception: it is opened once', async () => {
    await tell([credit('Nobody')]);
    await failing({});
    expect(await statuses()).toEqual(['received']);
    await take();
    expect(await statuses()).toEqual(['unallocated']);
    expect(await unallocated()).toHaveLength(1);
  });

  test('two at once book it once', async () => {
    await tell([credit(await reference(await book.account()))]);
    const ids = await due();
    await Promise.all([takeCredits(runtime(), operator, ids), takeCredits(runtime(), operator, ids)]);
    await take();
    expect(await statuses()).toEqual(['posted']);
    expect(await entriesOf()).toHaveLength(1);
  });
});

describe('verify', () => {
  const checked = async () => (await findingsOf({ pool: book.pool, id: operator })).map(({ check }) => check).sort();
  const broken = async (sql: string, mended: string) => {
    await tell([credit(await reference(await book.account()))]);
    await take();
    await superuser.query(sql);
    const found = await checked();
    await superuser.query(mended);
    return found;
  };

  test('finds a transfer of another amount than its credit', async () =>
    expect(
      await broken('UPDATE inbound_credits SET amount = amount + 1', 'UPDATE inbound_credits SET amount = amount - 1'),
    ).toEqual(['credit.transfer']));

  test('finds a credit that nobody moves and nobody sees', async () =>
    expect(
      await broken(`UPDATE inbound_credits SET status = 'unallocated'`, `UPDATE inbound_credits SET status = 'posted'`),
    ).toEqual(['credit.exception', 'credit.transfer']));

  test('no two credits have one reference of the bank', async () => {
    const named = await reference(await book.account());
    await tell([credit(named, { bankReference: 'ONE' })]);
    const [id] = await due();
    const one = await inboundCredits.find(book.pool, operator, id!);
    await expect(
      superuser.query(
        `INSERT INTO inbound_credits SELECT (k).* FROM (SELECT jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid())) AS k
           FROM inbound_credits c WHERE id = $1) AS copy`,
        [one!.id],
      ),
    ).rejects.toThrow(/inbound_credits_by_reference/);
    await take();
  });
});
