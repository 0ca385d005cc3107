/**
 * What customers owe and nobody will pay: two persons of the operator's, pool → customer in the customer's book, credit_losses → pool_owed in the
 * operator's.
 */
import { expect, test } from 'vitest';
import { lookInto } from '../../../scripts/harness/database-store.ts';
import { program } from '../../../scripts/ops.ts';
import { receiveTransfer } from '../../../src/accounts/inbound-transfers/receive-transfer.ts';
import { approveException, assignException, explainException } from '../../../src/exceptions/handle-exception.ts';
import { GROUPS } from '../../../src/groups.ts';
import { returnTransfer } from '../../../src/inbound/arrivals/return-transfer.ts';
import { bookWriteOff } from '../../../src/inbound/write-offs/book-write-off.ts';
import {
  checkWriteOff,
  exceptionIdOf,
  proposeWriteOff,
  withdrawWriteOff,
} from '../../../src/inbound/write-offs/propose-write-off.ts';
import type { WriteOff } from '../../../src/inbound/write-offs/write-off.ts';
import { openWriteOffs } from '../../../src/inbound/write-offs/write-off-table.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { newSalt } from '../../../src/ledger/rows/personal-text.ts';
import { mirrorAllBooks } from '../../../src/reconciliation/mirror/mirror-books.ts';
import { encodeActor } from '../../../src/values/actor.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import type { OperatorsBank } from '../../support/bank-statements.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { eachBank } from '../../support/each-bank.ts';
import { findingsOf } from '../../support/findings.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { runHere } from '../../support/run-here.ts';

let bank: OperatorsBank;
let database: TestDatabase;
let book: TestBook;
let account: Uuid;
eachBank(
  async (opened) => {
    ({ bank, database } = opened);
    book = await openBook({ database: bank.pool, forms: LATEST_FORMS });
    account = await book.account({ currency: 'JOD', amount: 0n });
  },
  { books: () => [book], equal: true },
);

const [ADA, BEN] = ['a', 'b'].map(() => encodeActor({ type: 'person', id: newId(), keyId: newId() })) as [
  string,
  string,
];
const OPERATOR = encodeActor({ type: 'operator', name: 'Ops' });
const DEBT = 30_000n;

const receive = async (amount: bigint) => {
  const transferId = newId();
  const of = { bookId: book.id, accountId: account, amount, currency: 'JOD', description: null, salt: newSalt() };
  await book.submit(receiveTransfer({ ...of, requestId: newId(), actor: 'test', transferId }));
  return transferId;
};

/** Money arrives, most of it is paid out, and the bank takes all of it back. */
async function bringBelowZero(): Promise<void> {
  const transferId = await receive(40_000n);
  const payout = await book.accept({ accountId: account, amount: DEBT, currency: 'JOD', fee: 0n });
  await book.settle(await book.reserve(payout), { status: 'paid', railReference: 'R1' });
  const transfer = { id: transferId, accountId: account, amount: 40_000n, currency: 'JOD' };
  await book.submit(returnTransfer({ bookId: book.id, transfer, requestId: newId(), actor: 'test' }));
  expect(await balance()).toBe(-DEBT);
}

const balance = async () =>
  (
    await book.row<{ balance: bigint }>(
      'SELECT posted_credits - posted_debits AS balance FROM accounts WHERE book_id = $1 AND id = $2',
      account,
    )
  ).balance;
const writtenOff = () =>
  book.rows<{ amount: bigint; description: string }>(
    'SELECT amount, description FROM inbound_transfers WHERE book_id = $1 AND write_off_id IS NOT NULL ORDER BY id',
  );

const runtime = (committer = bank.book.committer) => ({ pool: bank.pool, committer });
const check = (change: { ofBook?: Uuid; accountId?: Uuid; amount?: bigint } = {}) =>
  checkWriteOff(bank.pool, { ofBook: book.id, accountId: account, ...change });
const propose = async (amount?: bigint) =>
  proposeWriteOff(runtime(), await check(amount === undefined ? {} : { amount }));
const bookOne = (id: Uuid, committer = bank.book.committer) =>
  bookWriteOff(runtime(committer), { bookId: bank.book.id, id });

const exceptionOf = (id: Uuid) =>
  bank.book.row<{ version: number; stage: string; kind: string; detail: string }>(
    'SELECT version, stage, kind, detail FROM exceptions WHERE book_id = $1 AND id = $2',
    exceptionIdOf(id),
  );

/** One person explains it, another one approves. */
async function approve(id: Uuid): Promise<void> {
  const exceptionId = exceptionIdOf(id);
  const asked = async (actor: string) => ({
    exceptionId,
    requestId: newId(),
    actor,
    ifMatch: (await exceptionOf(id)).version,
  });
  await bank.book.submit(assignException({ ...(await asked(ADA)), personId: newId() }));
  await bank.book.submit(explainException({ ...(await asked(ADA)), reason: 'The customer is bankrupt.' }));
  const alone = await bank.book.submit(approveException({ ...(await asked(ADA)), waiting: null }));
  expect(alone.refused).toBe('self_approval_forbidden');
  await bank.book.submit(approveException({ ...(await asked(BEN)), waiting: null }));
  expect((await exceptionOf(id)).stage).toBe('approved');
}

const AT_BANK = GROUPS.flatMap(({ atBank = [] }) => atBank);
const mirror = () => mirrorAllBooks({ ...runtime(), atBank: AT_BANK }, bank.book.id);

test('two persons, then pool to the account, once; the mirror books the loss, and no bank is expected to show it', async () => {
  await bringBelowZero();
  const { id } = await propose();
  expect(await exceptionOf(id)).toMatchObject({ kind: 'write_off', stage: 'open' });
  expect((await exceptionOf(id)).detail).toContain('owes 30.000 JOD. 30.000 JOD of it are to be written off');
  await expect(bookOne(id)).rejects.toThrow(/exc_\w+ is open\. One person explains it/);
  expect(await writtenOff()).toEqual([]);
  await approve(id);
  expect(await bookOne(id)).toMatchObject({ status: 'booked', bookedAmount: DEBT });
  expect(await balance()).toBe(0n);
  expect(await writtenOff()).toEqual([{ amount: DEBT, description: 'Written off' }]);
  expect(await bookOne(id)).toMatchObject({ status: 'booked', bookedAmount: DEBT });
  expect(await writtenOff()).toHaveLength(1);
  const events = await book.rows<{ type: string }>(
    'SELECT v.type FROM events v JOIN inbound_transfers t ON t.book_id = v.book_id AND t.id = v.object_id WHERE v.book_id = $1 AND t.write_off_id IS NOT NULL',
  );
  expect(events).toEqual([{ type: 'inbound_transfer.received' }]);

  await bank.account();
  await mirror();
  // Arrived and taken back: nothing. Paid out: the rail. Lost: the operator's.
  expect(await bank.balances()).toEqual({ rail_clearing: 30_000n, credit_losses: 30_000n });
  const items = await bank.book.rows<{ resource: string }>(
    'SELECT resource FROM expected_items WHERE book_id = $1 ORDER BY pool_line',
  );
  expect(items.map(({ resource }) => resource)).toEqual(['inbound_transfer', 'payout', 'inbound_transfer']);
});

test.each`
  arrives    | booked
  ${10_000n} | ${20_000n}
  ${50_000n} | ${0n}
`(
  'where $arrives arrive before it is booked, $booked are booked: never more than is owed',
  async ({ arrives, booked }) => {
    await bringBelowZero();
    const { id } = await propose();
    await approve(id);
    await receive(arrives as bigint);
    expect(await bookOne(id)).toMatchObject({ status: 'booked', bookedAmount: booked });
    expect(await balance()).toBe(booked === 0n ? 20_000n : 0n);
    expect(await writtenOff()).toHaveLength(booked === 0n ? 0 : 1);
  },
);

test('a part is written off, also of an account that is closed meanwhile', async () => {
  await bringBelowZero();
  const { id } = await propose(12_000n);
  await approve(id);
  const owner = lookInto(database);
  const set = (status: string) => owner.query('UPDATE accounts SET status = $1 WHERE id = $2', [status, account]);
  await set('closed');
  expect(await bookOne(id)).toMatchObject({ bookedAmount: 12_000n });
  await set('open');
  await owner.end();
  expect(await balance()).toBe(-18_000n);
});

test.each(['write_off.book', 'write_off.end'])('killed before %s and run again: it is booked once', async (at) => {
  await bringBelowZero();
  const { id } = await propose();
  await approve(id);
  let dies = true;
  const committer = {
    submit: <Answer>(bookId: Uuid, command: Command<Answer>): Promise<Answer> => {
      if (command.name !== at || !dies) return bank.book.committer.submit(bookId, command);
      dies = false;
      return Promise.reject(new Error('It dies here.'));
    },
  };
  await expect(bookOne(id, committer as typeof bank.book.committer)).rejects.toThrow('It dies here.');
  expect(await findingsOf({ pool: bank.pool, id: bank.book.id })).toEqual([]);
  expect(await bookOne(id)).toMatchObject({ status: 'booked', bookedAmount: DEBT });
  expect(await writtenOff()).toHaveLength(1);
});

test('what cannot be written off is refused with what to do, and one is under way at a time', async () => {
  await expect(check()).rejects.toThrow(/owes nothing: it has 0\.000 JOD/);
  await bringBelowZero();
  await expect(check({ amount: DEBT + 1n })).rejects.toThrow(/owes 30\.000 JOD\. At most that is written off/);
  await expect(check({ ofBook: bank.book.id })).rejects.toThrow(/is no book of a customer/);
  await expect(check({ ofBook: newId() })).rejects.toThrow(/is no book of a customer/);
  await expect(check({ accountId: newId() })).rejects.toThrow(/is no account of a customer of this book/);
  const { id } = await propose();
  const named = publicId('exception', exceptionIdOf(id));
  await expect(check()).rejects.toThrow(`has a write-off of 30.000 JOD under way (${named})`);
  const of = { bookId: bank.book.id, id, actor: OPERATOR };
  expect(await withdrawWriteOff(runtime(), of)).toMatchObject({ status: 'withdrawn' });
  expect((await exceptionOf(id)).stage).toBe('approved');
  await expect(bookOne(id)).rejects.toThrow(`The write-off of ${named} was withdrawn.`);
  const other = await propose();
  await approve(other.id);
  await expect(withdrawWriteOff(runtime(), { ...of, id: other.id })).rejects.toThrow(/approved by two persons/);
  expect(await writtenOff()).toEqual([]);
});

test('two proposals at once are one, and of two amounts the second is refused', async () => {
  await bringBelowZero();
  const [one, same, less] = await Promise.all([check(), check(), check({ amount: 1_000n })]);
  const [first, again] = await Promise.all([proposeWriteOff(runtime(), one), proposeWriteOff(runtime(), same)]);
  expect(again).toEqual(first);
  await expect(proposeWriteOff(runtime(), less)).rejects.toThrow(/has a write-off of 30\.000 JOD under way/);
  await withdrawWriteOff(runtime(), { bookId: bank.book.id, id: first.id, actor: OPERATOR });
  await expect(proposeWriteOff(runtime(), one)).rejects.toThrow(/under way/);
  expect((await propose()).id).not.toBe(first.id);
});

test('open ones are listed page by page, to the last', async () => {
  const open = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const checked = { bookId: bank.book.id, ofBook: book.id, accountId: newId(), currency: 'JOD' };
      return (await proposeWriteOff(runtime(), { ...checked, amount: 1n, owed: 1n, before: 0 })).id;
    }),
  );
  const pages: WriteOff[][] = [];
  for await (const page of openWriteOffs(bank.pool, bank.book.id, 2)) pages.push(page);
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
  expect(new Set(pages.flat().map(({ id }) => id))).toEqual(new Set(open));
});

test('by the operator: proposed, listed, booked once it is approved, or withdrawn', async () => {
  await bringBelowZero();
  const run = (...words: string[]) =>
    runHere(program, ['write-offs', ...words], { DATABASE_URL: database.applicationUrl });
  const of = [publicId('book', book.id), publicId('account', account)];
  expect(await run('propose', ...of, '--dry-run')).toMatchObject({
    code: 0,
    out: '30.000 JOD would wait for two persons. Nothing is kept.\n',
  });
  const proposed = JSON.parse((await run('propose', ...of, '--amount', '20000', '--json')).out) as {
    exception: string;
  };
  expect(proposed).toMatchObject({ amount: '20000', currency: 'JOD', status: 'proposed', booked: null });
  const [open] = await bank.book.rows<{ id: Uuid }>('SELECT id FROM write_offs WHERE book_id = $1');
  expect(JSON.parse((await run('list', '--json')).out)).toMatchObject({ ...proposed, exception_status: 'open' });
  expect((await run('book')).out).toBe('No write-off is approved and not booked.\n');
  const early = await run('book', proposed.exception);
  expect([early.code, early.err]).toEqual([1, expect.stringContaining('is open. One person explains it')]);
  await approve(open!.id);
  expect((await run('book')).out).toBe(`${of[1]} of ${of[0]}: 20.000 JOD written off.\n`);
  expect(await balance()).toBe(-10_000n);
  const { exception } = JSON.parse((await run('propose', ...of, '--json')).out) as { exception: string };
  expect(await run('withdraw', exception, '--by', 'Olga')).toMatchObject({ code: 0 });
  expect((await run('list')).out).toBe('No write-off is open.\n');
  const wrong = await run('propose', of[1]!, of[0]!);
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('book_…')]);
});

test('verification finds what nobody has approved, and losses that no write-off names', async () => {
  await bringBelowZero();
  const { id } = await propose();
  await approve(id);
  await bookOne(id);
  await bank.account();
  await mirror();
  const owner = lookInto(database);
  const found = async (change: string, undo: string) => {
    await owner.query(change);
    const checks = (await findingsOf({ pool: bank.pool, id: bank.book.id })).map((finding) => finding.check);
    await owner.query(undo);
    return [...new Set(checks)];
  };
  const exception = `WHERE id = '${exceptionIdOf(id)}'`;
  expect(
    await found(
      `UPDATE exceptions SET stage = 'explained', status = 'open' ${exception}`,
      `UPDATE exceptions SET stage = 'approved', status = 'resolved' ${exception}`,
    ),
  ).toContain('write_off.approved');
  expect(
    await found(
      'UPDATE write_offs SET booked_amount = booked_amount - 1',
      'UPDATE write_offs SET booked_amount = booked_amount + 1',
    ),
  ).toEqual(['write_off.booked']);
  const ofTransfer = `SET write_off_id = '${newId()}' WHERE write_off_id = '${id}'`;
  const { rows } = await owner.query<{ id: Uuid }>('SELECT id FROM inbound_transfers WHERE write_off_id IS NOT NULL');
  expect(
    (
      await found(
        `UPDATE inbound_transfers ${ofTransfer}`,
        `UPDATE inbound_transfers SET write_off_id = '${id}' WHERE id = '${rows[0]!.id}'`,
      )
    ).toSorted(),
  ).toEqual(['book_mirror.written_off', 'write_off.booked']);
  // What stands on credit_losses is what rows of the mirror say.
  expect(
    await found(
      `UPDATE book_mirror SET sides = replace(sides::text, 'credit_losses', 'own_funds')::jsonb`,
      `UPDATE book_mirror SET sides = replace(sides::text, 'own_funds', 'credit_losses')::jsonb`,
    ),
  ).toContain('account.equation');
  await owner.end();
  expect(await findingsOf({ pool: bank.pool, id: bank.book.id })).toEqual([]);
});
