/** Money that arrives by statements: to an account that its text names, to people where it names none, and back where the bank recalls it. */
import { beforeEach, expect, test } from 'vitest';
import { allowedActions } from '../../../src/exceptions/exception.ts';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import {
  approveException,
  assignException,
  explainException,
  requestApproval,
} from '../../../src/exceptions/handle-exception.ts';
import { moveException } from '../../../src/exceptions/move-exception.ts';
import { GROUPS } from '../../../src/groups.ts';
import { requestAllocation } from '../../../src/inbound/allocation/allocate-credit.ts';
import { arrivalsOf } from '../../../src/inbound/arrivals/take-arrivals.ts';
import { takeCredits } from '../../../src/inbound/credits/take-credits.ts';
import { referenceOf } from '../../../src/inbound/references/receive-reference-store.ts';
import type { Committer } from '../../../src/ledger/commit/committer.ts';
import { reportCredits } from '../../../src/outside/credits/credit-store.ts';
import { inboundCredits } from '../../../src/outside/credits/credit-table.ts';
import { withAllocations } from '../../../src/reconciliation/lines/allocation-store.ts';
import { bankLines } from '../../../src/reconciliation/lines/bank-line-table.ts';
import { mirrorAllBooks } from '../../../src/reconciliation/mirror/mirror-books.ts';
import { encodeActor } from '../../../src/values/actor.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { type CamtEntry, camt, IBAN, type OperatorsBank, takeBankFile } from '../../support/bank-statements.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { carryOutRuns, dueRuns } from '../../support/due-runs.ts';
import { eachBank } from '../../support/each-bank.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { matchByHand, openItemsOf, saidOf } from '../../support/matched-bank.ts';
import { TEST_SECRET_BOX } from '../../support/secret-box.ts';

const AT_BANK = GROUPS.flatMap(({ atBank = [] }) => atBank);
const FOLLOWS_APPROVAL = GROUPS.flatMap(({ followsApproval = [] }) => followsApproval);

let bank: OperatorsBank;
let merchant: TestBook;
let account: Uuid;
let reference: string;
eachBank(
  async (opened) => {
    ({ bank } = opened);
    merchant = await openBook({ database: bank.pool, forms: LATEST_FORMS });
    account = await merchant.account({ currency: 'JOD', amount: 0n });
    const of = { ownerBookId: merchant.id, accountId: account };
    reference = await referenceOf(bank.pool, bank.book.id, of, systemClock.now());
    await bank.account();
  },
  { books: () => [merchant], equal: true },
);

const credits = (committer: Pick<Committer, 'submit'> = bank.book.committer) => ({
  ...{ pool: bank.pool, clock: systemClock, committer, secretBox: TEST_SECRET_BOX, forms: LATEST_FORMS },
  followsApproval: FOLLOWS_APPROVAL,
  rowFailed: (_: unknown, __: unknown, error: unknown) => Promise.reject(error),
});

let opening: number;
let number: number;
beforeEach(() => {
  [opening, number] = [0, 0];
});

/** A statement of the next day with these entries. */
function statement(entries: readonly CamtEntry[]): string {
  number += 1;
  const one = { number: String(number), on: `2026-11-0${number}`, opening, entries };
  opening += entries.reduce((sum, { amount }) => sum + amount, 0);
  return camt([one], { id: `M${number}` });
}

const others = (committer: Pick<Committer, 'submit'> = bank.book.committer) => ({
  ...{ committer, arrivals: arrivalsOf(credits(committer)) },
  mirror: () => mirrorAllBooks({ pool: bank.pool, committer, atBank: AT_BANK }, bank.book.id),
});

const take = (file: string, committer?: Pick<Committer, 'submit'>) =>
  takeBankFile({ ...bank.taker, ...others(committer) }, file);

/** What a command has begun, and what the sweeper enqueues where its job is lost. */
const carryOutDue = async () => carryOutRuns(bank, await dueRuns(bank), others());

const inFours = () => reference.match(/.{1,4}/g)!.join(' ');
const arrived = (change: Partial<CamtEntry> = {}): CamtEntry => ({
  ...{ amount: 40_000, reference: 'S7', text: `Invoice 7, ${inFours()} thanks` },
  ...change,
});
const balance = async () =>
  (
    await merchant.row<{ balance: bigint }>(
      'SELECT posted_credits - posted_debits AS balance FROM accounts WHERE book_id = $1 AND id = $2',
      account,
    )
  ).balance;
const transfers = () =>
  merchant.rows<{ status: string; amount: bigint; bank_reference: string }>(
    'SELECT status, amount, bank_reference FROM inbound_transfers WHERE book_id = $1 AND bank_reference IS NOT NULL',
  );
const events = async (of: string) =>
  (await merchant.rows<{ type: string }>('SELECT type FROM events WHERE book_id = $1 ORDER BY sequence'))
    .map(({ type }) => type)
    .filter((type) => type.startsWith(of));

test('35: a reference in groups of four: pool to the account, and the line shows that transfer', async () => {
  const file = statement([arrived()]);
  await take(file);
  expect(await transfers()).toEqual([{ status: 'received', amount: 40_000n, bank_reference: 'S7' }]);
  expect(await balance()).toBe(40_000n);
  expect(await events('inbound_transfer')).toEqual(['inbound_transfer.received']);
  expect(await saidOf(bank)).toEqual(['bank_reference: 40000 ↔ 40000']);
  expect(await bank.exceptions()).toEqual([]);
  expect(await bank.balances()).toEqual({ bank: 40_000n, pool_owed: 40_000n });
  const before = await bank.digest();
  await take(file);
  expect(await bank.digest()).toBe(before);
  expect(await transfers()).toHaveLength(1);
});

test.each(['inbound_transfer.receive', 'book.mirror', 'bank_match.confirm'])(
  '35: killed before %s and run again: one transfer, and nothing is left',
  async (name) => {
    const dying: Pick<Committer, 'submit'> = {
      submit: (bookId, command) =>
        command.name === name ? Promise.reject(new Error('killed')) : bank.book.committer.submit(bookId, command),
    };
    const file = statement([arrived()]);
    await expect(take(file, dying)).rejects.toThrow('killed');
    await take(file);
    expect(await balance()).toBe(40_000n);
    expect(await transfers()).toHaveLength(1);
    expect(await bank.balances()).toEqual({ bank: 40_000n, pool_owed: 40_000n });
    expect(await bank.exceptions()).toEqual([]);
  },
);

const by = () => ({ requestId: newId(), actor: encodeActor({ type: 'person', id: newId(), keyId: newId() }) });

test('36: an unknown payer is before people; given to a book and moved by two, the line shows it', async () => {
  await take(statement([arrived({ text: 'From Salma' })]));
  expect(await bank.exceptions()).toEqual([{ kind: 'inbound_unallocated', stage: 'open' }]);
  expect(await bank.balances()).toEqual({ bank: 40_000n, unallocated: 40_000n });
  const exception = await bank.book.row<{ id: Uuid; resource: string; resource_id: Uuid }>(
    'SELECT id, resource, resource_id FROM exceptions WHERE book_id = $1',
  );
  expect(exception.resource).toBe('inbound_credit');
  expect(await bank.book.row('SELECT exception_id FROM bank_lines WHERE book_id = $1')).toEqual({
    exception_id: exception.id,
  });
  const allocation = await requestAllocation.prepare(
    credits() as never,
    {
      ...{ ...by(), bookId: bank.book.id, exceptionId: exception.id, ownerKind: 'person', mode: 'test' },
      toBookId: merchant.id,
    } as never,
  );
  await bank.book.submit(allocation.command as never);
  await takeCredits(credits(), bank.book.id, [exception.resource_id]);
  const [given] = await merchant.rows<{ id: Uuid }>(
    "SELECT id FROM exceptions WHERE book_id = $1 AND resource = 'given_credit'",
  );
  const read = async () => (await exceptions.find(bank.pool, merchant.id, given!.id))!;
  const [ada, ben] = [by(), by()];
  await merchant.submit(assignException({ ...ada, exceptionId: given!.id, personId: newId() }));
  await merchant.submit(moveException({ ...ada, exceptionId: given!.id, exception: await read(), accountId: account }));
  const { waiting } = await read();
  const target = { bookId: merchant.id, accountId: account, currency: 'JOD' };
  await merchant.submit(approveException({ ...ben, exceptionId: given!.id, waiting, target }));
  expect(await balance()).toBe(40_000n);
  await take(statement([]));
  expect(await saidOf(bank)).toEqual(['bank_reference: 40000 ↔ 40000']);
  expect(await bank.exceptions()).toEqual([{ kind: 'inbound_unallocated', stage: 'approved' }]);
  expect(await bank.balances()).toEqual({ bank: 40_000n, pool_owed: 40_000n });
});

/** A person of the operator's says for which account the credit of this exception is. */
async function allocateTo(exceptionId: Uuid, actor: ReturnType<typeof by>, toAccountId = account) {
  const of = { ...actor, bookId: bank.book.id, exceptionId, ownerKind: 'person', mode: 'test' };
  const asked = { ...of, toBookId: merchant.id, toAccountId };
  const { command } = await requestAllocation.prepare(credits() as never, asked as never);
  return bank.book.submit(command as never);
}
async function approve(exceptionId: Uuid, actor: ReturnType<typeof by>) {
  const { version } = (await exceptions.find(bank.pool, bank.book.id, exceptionId))!;
  const asked = { ...actor, bookId: bank.book.id, exceptionId, ownerKind: 'person', version };
  const { command } = await requestApproval.prepare(credits() as never, asked as never);
  return bank.book.submit(command as never);
}

test('36: two persons of the operator’s give it to an account: then as 35', async () => {
  await take(statement([arrived({ text: 'From Salma' })]));
  const { id, credit } = await bank.book.row<{ id: Uuid; credit: Uuid }>(
    'SELECT id, resource_id AS credit FROM exceptions WHERE book_id = $1',
  );
  const [ada, ben] = [by(), by()];
  await bank.book.submit(assignException({ ...ada, exceptionId: id, personId: newId() }));
  const assigned = (await exceptions.find(bank.pool, bank.book.id, id))!;
  expect(allowedActions(assigned)).toEqual(['assign', 'explain', 'allocate']);
  await expect(allocateTo(id, ada, newId())).rejects.toMatchObject({ code: 'resource_not_found' });
  const euros = await merchant.account({ currency: 'EUR', amount: 0n });
  await expect(allocateTo(id, ada, euros)).rejects.toMatchObject({ code: 'currency_mismatch' });
  await allocateTo(id, ada);
  await takeCredits(credits(), bank.book.id, [credit]);
  expect(await bank.exceptions()).toEqual([{ kind: 'inbound_unallocated', stage: 'adjusted' }]);
  const named = {
    ...{ targetAccountId: account, targetBookId: merchant.id },
    reason: `Allocated to ${publicId('book', merchant.id)} / ${publicId('account', account)}.`,
  };
  expect(await exceptions.find(bank.pool, bank.book.id, id)).toMatchObject(named);
  expect(await balance()).toBe(0n);
  expect(await approve(id, ada)).toMatchObject({ refused: 'self_approval_forbidden' });
  expect(await dueRuns(bank)).toEqual([]);
  await approve(id, ben);
  expect(await exceptions.find(bank.pool, bank.book.id, id)).toMatchObject({ ...named, status: 'approved' });
  expect(await dueRuns(bank)).toHaveLength(1);
  await carryOutDue();
  expect(await transfers()).toEqual([{ status: 'received', amount: 40_000n, bank_reference: 'S7' }]);
  expect(await events('inbound_transfer')).toEqual(['inbound_transfer.received']);
  expect(await balance()).toBe(40_000n);
  expect(await saidOf(bank)).toEqual(['bank_reference: 40000 ↔ 40000']);
  expect(await bank.exceptions()).toEqual([{ kind: 'inbound_unallocated', stage: 'approved' }]);
  expect(await bank.balances()).toEqual({ bank: 40_000n, pool_owed: 40_000n });
  expect(await dueRuns(bank)).toEqual([]);
});

test('36: an explanation replaces the account, and one that is closed by then leaves it before people', async () => {
  await take(statement([arrived({ text: 'From Salma' })]));
  const { id, credit } = await bank.book.row<{ id: Uuid; credit: Uuid }>(
    'SELECT id, resource_id AS credit FROM exceptions WHERE book_id = $1',
  );
  const [ada, ben] = [by(), by()];
  await allocateTo(id, ada);
  await bank.book.submit(explainException({ ...ada, exceptionId: id, reason: 'Not theirs' }));
  await allocateTo(id, ada);
  await approve(id, ben);
  await merchant.pool.query(`UPDATE accounts SET status = 'closed' WHERE book_id = $1 AND id = $2`, [
    merchant.id,
    account,
  ]);
  await takeCredits(credits(), bank.book.id, [credit]);
  expect(await transfers()).toEqual([]);
  expect(await bank.exceptions()).toEqual([
    { kind: 'inbound_unallocated', stage: 'approved' },
    { kind: 'inbound_unallocated', stage: 'open' },
  ]);
});

/** Two persons give the credit to the account, which is closed by then: another exception is open. */
async function refusedByItsBook(): Promise<{ ended: Uuid; open: Uuid }> {
  const { id, credit } = await bank.book.row<{ id: Uuid; credit: Uuid }>(
    "SELECT id, resource_id AS credit FROM exceptions WHERE book_id = $1 AND resource = 'inbound_credit'",
  );
  const [ada, ben] = [by(), by()];
  await allocateTo(id, ada);
  await approve(id, ben);
  await setAccount('closed');
  await takeCredits(credits(), bank.book.id, [credit]);
  const open = await bank.book.row<{ id: Uuid }>("SELECT id FROM exceptions WHERE book_id = $1 AND status = 'open'");
  return { ended: id, open: open.id };
}
const setAccount = (status: string) =>
  merchant.pool.query('UPDATE accounts SET status = $3 WHERE book_id = $1 AND id = $2', [merchant.id, account, status]);
const exceptionOfLine = () =>
  bank.book.row<{ id: Uuid; exception_id: Uuid }>('SELECT id, exception_id FROM bank_lines WHERE book_id = $1');

/** For whom the line is, as answers show it. */
async function allocationOfLine() {
  const { id } = await exceptionOfLine();
  const lines = [...(await bankLines.load(bank.pool, bank.book.id, [id])).values()];
  return (await withAllocations(bank.pool, bank.book.id, lines))[0]!.allocation;
}

test('36: a line is for nobody until two persons have said so, nor once the account has refused it', async () => {
  await take(statement([arrived({ text: 'From Salma' })]));
  const { exception_id: id } = await exceptionOfLine();
  const { resourceId: credit } = (await exceptions.find(bank.pool, bank.book.id, id))!;
  await allocateTo(id, by());
  expect(await allocationOfLine()).toBeUndefined();
  await approve(id, by());
  expect(await allocationOfLine()).toEqual({ bookId: merchant.id, accountId: account, transferId: null });
  await setAccount('closed');
  await takeCredits(credits(), bank.book.id, [credit]);
  expect(await allocationOfLine()).toBeUndefined();
  await setAccount('open');
  const again = await open();
  await allocateTo(again.id, by());
  await approve(again.id, by());
  await takeCredits(credits(), bank.book.id, [credit]);
  expect(await allocationOfLine()).toMatchObject({ accountId: account, transferId: expect.any(String) });
});

test.each(['before the refusal', 'after it'])(
  '36: a line that comes %s is the case that the refusal opened, and a match of the line ends it',
  async (when) => {
    const line = statement([arrived({ text: 'From Salma' })]);
    if (when === 'after it') await notify('From Salma');
    else await take(line);
    const { open } = await refusedByItsBook();
    await take(when === 'after it' ? line : statement([]));
    const { id, exception_id: exceptionId } = await exceptionOfLine();
    expect(exceptionId).toBe(open);
    await matchByHand(bank, { lines: [id], differenceTo: 'differences' });
    expect(await bank.exceptions()).toEqual([
      { kind: 'inbound_unallocated', stage: 'approved' },
      { kind: 'inbound_unallocated', stage: 'approved' },
    ]);
    await setAccount('open');
    await expect(allocateTo(open, by())).rejects.toMatchObject({ code: 'state_conflict' });
    expect(await transfers()).toEqual([]);
  },
);

test('36: a match of two persons ends what one had named an account for', async () => {
  await take(statement([arrived({ text: 'From Salma' })]));
  const { id, exception_id: exceptionId } = await exceptionOfLine();
  await allocateTo(exceptionId, by());
  await matchByHand(bank, { lines: [id], differenceTo: 'differences' });
  expect(await bank.exceptions()).toEqual([{ kind: 'inbound_unallocated', stage: 'approved' }]);
  expect(await approve(exceptionId, by())).toMatchObject({ refused: 'state_conflict' });
  expect(await transfers()).toEqual([]);
});

test('36: a case whose line a match has taken before a run looked at it is given to nobody', async () => {
  await take(statement([arrived({ text: 'From Salma' })]));
  const { open } = await refusedByItsBook();
  await matchByHand(bank, { lines: [(await exceptionOfLine()).id], differenceTo: 'differences' });
  await setAccount('open');
  await expect(allocateTo(open, by())).rejects.toMatchObject({ code: 'state_conflict' });
  expect(await transfers()).toEqual([]);
});

test('37: two digits swapped: the check digits do not fit, and nobody guesses', async () => {
  const at = [...reference].findIndex((one, index) => index > 3 && one !== reference[index + 1]);
  const swapped = `${reference.slice(0, at)}${reference[at + 1]}${reference[at]}${reference.slice(at + 2)}`;
  await take(statement([arrived({ text: swapped })]));
  expect(await transfers()).toEqual([]);
  expect(await bank.exceptions()).toEqual([{ kind: 'inbound_unallocated', stage: 'open' }]);
  expect(await bank.balances()).toEqual({ bank: 40_000n, unallocated: 40_000n });
});

/** As a rail's inbox reports a camt.054. */
async function notify(text: string, bankReference: string | null = 'S7'): Promise<void> {
  const now = systemClock.now();
  const told = { bankAccount: IBAN, bankReference, place: 'camt.054', amount: 40_000n, currency: 'JOD' };
  const facts = { endToEndId: null, payerName: null, payerAccount: null, valueOn: null, bookedOn: '2026-11-01' };
  await reportCredits(bank.pool, { bookId: bank.book.id, rail: 'example_bank', secretBox: TEST_SECRET_BOX, now }, [
    { ...told, ...facts, remittance: [text] },
  ]);
  const rows = await bank.book.rows<{ id: Uuid }>('SELECT id FROM inbound_credits WHERE book_id = $1');
  await takeCredits(
    credits(),
    bank.book.id,
    rows.map(({ id }) => id),
  );
}

test('38: a notification first: its transfer is the one that the line shows, and no second', async () => {
  await notify(inFours());
  expect(await balance()).toBe(40_000n);
  await mirrorAllBooks({ pool: bank.pool, committer: bank.book.committer, atBank: AT_BANK }, bank.book.id);
  expect(await bank.balances()).toEqual({ unallocated: -40_000n, pool_owed: 40_000n });
  await take(statement([arrived()]));
  expect(await transfers()).toHaveLength(1);
  expect(await saidOf(bank)).toEqual(['bank_reference: 40000 ↔ 40000']);
  expect(await bank.exceptions()).toEqual([]);
  expect(await bank.balances()).toEqual({ bank: 40_000n, pool_owed: 40_000n });
});

const open = () =>
  bank.book.row<{ id: Uuid; credit: Uuid; detail: string }>(
    "SELECT id, resource_id AS credit, detail FROM exceptions WHERE book_id = $1 AND status = 'open'",
  );

test('a notification without a reference of the bank, given by two: the line that has one is left to people', async () => {
  await notify(inFours(), null);
  const { id, credit } = await open();
  await allocateTo(id, by());
  await approve(id, by());
  await takeCredits(credits(), bank.book.id, [credit]);
  expect(await balance()).toBe(40_000n);
  await take(statement([arrived()]));
  expect(await balance()).toBe(40_000n);
  const { detail } = await open();
  expect(detail).toContain(`it may be the credit of ${publicId('exception', id)}`);
  await take(statement([arrived({ reference: 'S8', amount: 40_001 })]));
  expect(await balance()).toBe(80_001n);
});

test('a notification without a reference of the bank is not given to the account that the line has credited', async () => {
  await notify(inFours(), null);
  await take(statement([arrived()]));
  expect(await balance()).toBe(40_000n);
  const { id } = await open();
  await expect(allocateTo(id, by())).rejects.toMatchObject({ code: 'state_conflict' });
  const other = await merchant.account({ currency: 'JOD', amount: 0n });
  await allocateTo(id, by(), other);
});

test.each(['the notification', 'the line'])('a credit of nobody is one exception, with %s first', async (first) => {
  const line = statement([arrived({ text: 'From Salma' })]);
  if (first === 'the line') await take(line);
  await notify('From Salma');
  if (first !== 'the line') await take(line);
  expect(await bank.exceptions()).toEqual([{ kind: 'inbound_unallocated', stage: 'open' }]);
  const { id } = await bank.book.row<{ id: Uuid }>('SELECT id FROM exceptions WHERE book_id = $1');
  expect(await bank.book.row('SELECT exception_id FROM bank_lines WHERE book_id = $1')).toEqual({ exception_id: id });
  const rows = await bank.book.rows<{ id: Uuid }>('SELECT id FROM inbound_credits WHERE book_id = $1');
  expect(
    (
      await inboundCredits.load(
        bank.pool,
        bank.book.id,
        rows.map((row) => row.id),
      )
    ).size,
  ).toBe(1);
});

test('39: the bank takes a transfer back: customer to pool, below zero, and flagged', async () => {
  await take(statement([arrived()]));
  const asked = { accountId: account, amount: 30_000n, currency: 'JOD', fee: 0n };
  const payout = await merchant.reserve(await merchant.accept(asked));
  await merchant.settle(payout, { status: 'paid', railReference: 'R1' });
  expect(await balance()).toBe(10_000n);
  const file = statement([{ amount: -40_000, reference: 'S7', text: 'Recall' }]);
  await take(file);
  expect(await transfers()).toMatchObject([{ status: 'returned' }]);
  expect(await balance()).toBe(-30_000n);
  const entries = await merchant.rows<{ step: string; floor_overridden: boolean }>(
    "SELECT step, floor_overridden FROM entries WHERE book_id = $1 AND resource = 'inbound_transfer' ORDER BY sequence",
  );
  expect(entries.slice(-2)).toEqual([
    { step: 'received', floor_overridden: false },
    { step: 'returned', floor_overridden: true },
  ]);
  expect(await events('inbound_transfer.returned')).toEqual(['inbound_transfer.returned']);
  const recalled = () =>
    merchant.rows(
      "SELECT kind, status, resource, amount FROM exceptions WHERE book_id = $1 AND kind = 'recalled_below_zero'",
    );
  const before = { kind: 'recalled_below_zero', status: 'open', resource: 'inbound_transfer', amount: null };
  expect(await recalled()).toEqual([before]);
  expect(await events('exception.opened')).toEqual(['exception.opened']);
  expect(await saidOf(bank)).toEqual(['bank_reference: 40000 ↔ 40000', 'reversal: -40000 ↔ -40000']);
  // The payout that no bank has shown.
  expect(await openItemsOf(bank)).toEqual([30_000n]);
  expect(await bank.exceptions()).toEqual([]);
  expect(await bank.balances()).toEqual({ pool_owed: -30_000n, rail_clearing: 30_000n });
  await take(file);
  expect(await balance()).toBe(-30_000n);
  expect(await recalled()).toHaveLength(1);
});

test('39: an account that has it all is asked of nobody', async () => {
  await take(statement([arrived()]));
  await take(statement([{ amount: -40_000, reference: 'S7', text: 'Recall' }]));
  expect(await transfers()).toMatchObject([{ status: 'returned' }]);
  expect(await balance()).toBe(0n);
  expect(await merchant.rows('SELECT kind FROM exceptions WHERE book_id = $1')).toEqual([]);
});

test('39: a credit that was before people and is taken back is a reversal of its line, and its exception is over', async () => {
  await take(statement([arrived({ text: 'From Salma' })]));
  await take(statement([{ amount: -40_000, reference: 'S7' }]));
  expect(await saidOf(bank)).toEqual(['reversal: 40000, -40000 ↔ nothing']);
  expect(await bank.exceptions()).toEqual([{ kind: 'inbound_unallocated', stage: 'approved' }]);
  expect(await transfers()).toEqual([]);
  expect(await bank.balances()).toEqual({});
});
