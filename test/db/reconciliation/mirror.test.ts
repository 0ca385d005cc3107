/** The mirror on a real Postgres: what books' pools moved stands in the operator's book, each line once, with an item for what a bank will show. */
import { describe, expect, test } from 'vitest';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import { assignException, explainException, requestApproval } from '../../../src/exceptions/handle-exception.ts';
import type { ReturnedAtBank } from '../../../src/group/at-bank.ts';
import { GROUPS } from '../../../src/groups.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { returnAtBank } from '../../../src/payouts/returns/return-at-bank.ts';
import { returnPayout } from '../../../src/payouts/returns/return-payout.ts';
import { mirrorAllBooks } from '../../../src/reconciliation/mirror/mirror-books.ts';
import { encodeActor } from '../../../src/values/actor.ts';
import { newId } from '../../../src/values/ids.ts';
import { camt, type OperatorsBank, takeBankFile } from '../../support/bank-statements.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { carryOutRuns, dueRuns } from '../../support/due-runs.ts';
import { eachBank } from '../../support/each-bank.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { openItemsOf, saidOf } from '../../support/matched-bank.ts';

const ATBANK = GROUPS.flatMap(({ atBank = [] }) => atBank);
const FOLLOWS_APPROVAL = GROUPS.flatMap(({ followsApproval = [] }) => followsApproval);

let bank: OperatorsBank;
let book: TestBook;
eachBank(
  async (opened) => {
    ({ bank } = opened);
    book = await openBook({ database: bank.pool, forms: LATEST_FORMS });
  },
  { books: () => [book], equal: true },
);

function mirror(committer: Pick<TestBook['committer'], 'submit'> = bank.book.committer): Promise<void> {
  return mirrorAllBooks({ pool: bank.pool, committer, atBank: ATBANK }, bank.book.id);
}

const others = (committer: Pick<TestBook['committer'], 'submit'> = bank.book.committer) => ({
  ...{ committer, mirror: () => mirror(committer) },
  returnAtBank: (returned: ReturnedAtBank) => returnAtBank({ pool: bank.pool, committer }, returned),
});

const take = (text: string, committer?: Pick<TestBook['committer'], 'submit'>) =>
  takeBankFile({ ...bank.taker, ...others(committer) }, text);

async function payOut(amount: bigint, accountId?: string) {
  const from = accountId ?? (await book.account({ currency: 'JOD', amount: 100_000n }));
  const payout = await book.reserve(await book.accept({ accountId: from, amount, currency: 'JOD', fee: 0n }));
  return book.settle(payout, { status: 'paid', railReference: `R-${payout.id}` });
}

function giveBack(payout: Payout, amount: bigint): Promise<Payout> {
  return book.submit(returnPayout(book.id, payout, { id: newId(), amount, reason: 'AC04', raw: {} }));
}

interface Item {
  readonly resource: string;
  readonly direction: string;
  readonly amount: bigint;
  readonly party: string | null;
  readonly status: string;
}

const items = () =>
  bank.book.rows<Item>(
    'SELECT resource, direction, amount, party, status FROM expected_items WHERE book_id = $1 ORDER BY pool_line',
  );
const ranges = () =>
  bank.book.rows<{ from: bigint; through: bigint; items: number }>(
    'SELECT from_line AS from, through_line AS through, items FROM book_mirror WHERE book_id = $1 ORDER BY id',
  );

test("the operator's book is empty until the mode has a bank account", async () => {
  await payOut(25_000n);
  await mirror();
  expect(await bank.balances()).toEqual({});
  await bank.account();
  await mirror();
  expect(await bank.balances()).toEqual({ pool_owed: 75_000n, rail_clearing: 25_000n, unallocated: -100_000n });
  expect(await items()).toEqual([
    { resource: 'inbound_transfer', direction: 'in', amount: 100_000n, party: null, status: 'open' },
    { resource: 'payout', direction: 'out', amount: 25_000n, party: 'sandbox', status: 'open' },
  ]);
  expect(await ranges()).toEqual([{ from: 1n, through: 2n, items: 2 }]);
});

test('mirrored again, nothing is added; what came since is', async () => {
  await bank.account();
  await payOut(25_000n);
  await mirror();
  const before = [await bank.digest(), await items(), await ranges()];
  await Promise.all([mirror(), mirror()]);
  expect([await bank.digest(), await items(), await ranges()]).toEqual(before);
  await payOut(10_000n);
  await Promise.all([mirror(), mirror()]);
  expect((await ranges()).map(({ from, through }) => [from, through])).toEqual([
    [1n, 2n],
    [3n, 4n],
  ]);
  expect(await bank.balances()).toEqual({ pool_owed: 165_000n, rail_clearing: 35_000n, unallocated: -200_000n });
});

test('1, 31: a paid payout and its return meet their lines, and nothing is left of either', async () => {
  await bank.account();
  const payout = await payOut(25_000n);
  const { endToEndId } = payout;
  const first = camt([{ opening: 0, entries: [{ amount: -25_000, endToEndId, reference: 'S1' }] }]);
  const run = await take(first);
  expect(run).toMatchObject({ matched: 1, openLines: 0 });
  expect(await bank.balances()).toEqual({ bank: -25_000n, pool_owed: 75_000n, unallocated: -100_000n });
  await giveBack(payout, 25_000n);
  const second = camt([{ number: '2', on: '2026-11-04', opening: -25_000, entries: [{ amount: 25_000, endToEndId }] }]);
  expect(await take(second)).toMatchObject({ matched: 1, openLines: 0 });
  expect(await saidOf(bank)).toEqual(['end_to_end_id: -25000 ↔ -25000', 'end_to_end_id: 25000 ↔ 25000']);
  expect(await bank.balances()).toEqual({ pool_owed: 100_000n, unallocated: -100_000n });
  expect(await openItemsOf(bank)).toEqual([100_000n]);
});

describe('32: a return that the bank shows, and the rail does not', () => {
  const returned = (number: string, opening: number) =>
    camt([
      { number, on: `2026-11-0${number}`, opening, entries: [{ amount: 25_000, endToEndId: E1, reference: 'S2' }] },
    ]);
  let E1: string;
  /** What the account was funded with, which no bank shows here. */
  const FUNDED = -100_000n;

  /** The payout is shown, and a line brings it back. */
  async function shown(): Promise<Payout> {
    await bank.account();
    const payout = await payOut(25_000n);
    E1 = payout.endToEndId;
    await take(camt([{ opening: 0, entries: [{ amount: -25_000, endToEndId: E1, reference: 'S1' }] }]));
    await take(returned('4', -25_000));
    return payout;
  }

  const exception = () =>
    bank.book.row<{ id: string; kind: string; stage: string; proposals: { items: string[] }[] }>(
      'SELECT id, kind, stage, proposals FROM exceptions WHERE book_id = $1',
    );
  const by = () => ({ requestId: newId(), actor: encodeActor({ type: 'person', id: newId(), keyId: newId() }) });

  async function approve(): Promise<void> {
    const { id: exceptionId } = await exception();
    const [ada, ben] = [by(), by()];
    await bank.book.submit(assignException({ ...ada, exceptionId, personId: newId() }));
    await bank.book.submit(explainException({ ...ada, exceptionId, reason: 'AC04' }));
    const { version } = (await exceptions.find(bank.pool, bank.book.id, exceptionId))!;
    const asked = { ...ben, bookId: bank.book.id, exceptionId, ownerKind: 'person', version };
    const runtime = { pool: bank.pool, followsApproval: FOLLOWS_APPROVAL };
    const { command } = await requestApproval.prepare(runtime as never, asked as never);
    await bank.book.submit(command);
  }

  const next = (number: string) => camt([{ number, on: `2026-11-0${number}`, opening: 0, entries: [] }]);
  const statusOf = async ({ id }: Payout) =>
    (await book.row<{ status: string }>('SELECT status FROM payouts WHERE book_id = $1 AND id = $2', id)).status;

  test('proposes it; approved by another person, it is booked, and the line shows it', async () => {
    const payout = await shown();
    expect(await exception()).toMatchObject({ kind: 'payout_returned_at_bank', stage: 'open' });
    expect((await exception()).proposals).toHaveLength(1);
    expect(await statusOf(payout)).toBe('paid');
    await take(next('5'));
    expect(await statusOf(payout)).toBe('paid');
    expect(await bank.balances()).toMatchObject({ unallocated: FUNDED + 25_000n });
    expect(await dueRuns(bank)).toEqual([]);
    await approve();
    await carryOutRuns(bank, await dueRuns(bank), others());
    expect(await statusOf(payout)).toBe('returned');
    expect(await saidOf(bank)).toEqual(['end_to_end_id: -25000 ↔ -25000', 'end_to_end_id: 25000 ↔ 25000']);
    expect(await openItemsOf(bank)).toEqual([-FUNDED]);
    expect((await bank.exceptions()).map(({ stage }) => stage)).toEqual(['approved']);
    expect(await bank.balances()).toEqual({ unallocated: FUNDED, pool_owed: -FUNDED });
    await take(next('6'));
    const { count } = await book.row<{ count: bigint }>(
      'SELECT count(*) AS count FROM payout_returns WHERE book_id = $1',
    );
    expect(count).toBe(1n);
  });

  test('killed behind the return, the next run goes on: one return', async () => {
    const payout = await shown();
    await approve();
    const dying: Pick<TestBook['committer'], 'submit'> = {
      submit: (bookId, command) =>
        command.name === 'book.mirror'
          ? Promise.reject(new Error('killed'))
          : bank.book.committer.submit(bookId, command),
    };
    await expect(take(next('5'), dying)).rejects.toThrow('killed');
    expect(await statusOf(payout)).toBe('returned');
    await take(next('5'));
    expect(await openItemsOf(bank)).toEqual([-FUNDED]);
    expect((await bank.lines()).map(({ status }) => status)).toEqual(['matched', 'matched']);
    const { count } = await book.row<{ count: bigint }>(
      'SELECT count(*) AS count FROM payout_returns WHERE book_id = $1',
    );
    expect(count).toBe(1n);
  });

  const returns = () =>
    book.rows<{ amount: bigint }>('SELECT amount FROM payout_returns WHERE book_id = $1 ORDER BY created_at, id');
  const ofMerchant = () => book.rows<{ kind: string }>('SELECT kind FROM exceptions WHERE book_id = $1 ORDER BY place');

  test('booked, and reported by the rail afterwards: its evidence, and one return', async () => {
    const payout = await shown();
    await approve();
    await take(next('5'));
    expect(await statusOf(payout)).toBe('returned');
    await giveBack(payout, 25_000n);
    expect(await returns()).toEqual([{ amount: 25_000n }]);
    expect(await ofMerchant()).toEqual([]);
    await take(next('6'));
    expect(await bank.balances()).toEqual({ unallocated: FUNDED, pool_owed: -FUNDED });
    // Another one is of money that is nobody's.
    await giveBack(payout, 25_000n);
    expect(await returns()).toHaveLength(1);
    expect(await ofMerchant()).toEqual([{ kind: 'return_exceeds_payout' }]);
  });

  test('reported by the rail between the approval and the run: that return is the one', async () => {
    const payout = await shown();
    await approve();
    await giveBack(payout, 25_000n);
    await take(next('5'));
    expect(await returns()).toEqual([{ amount: 25_000n }]);
    expect(await ofMerchant()).toEqual([]);
    expect(await saidOf(bank)).toEqual(['end_to_end_id: -25000 ↔ -25000', 'end_to_end_id: 25000 ↔ 25000']);
    expect(await bank.balances()).toEqual({ unallocated: FUNDED, pool_owed: -FUNDED });
  });

  test('a report that comes while the return is being booked: one return, whichever is first', async () => {
    const payout = await shown();
    await approve();
    const meanwhile: Pick<TestBook['committer'], 'submit'> = {
      async submit(bookId, command) {
        if (command.name === 'payout.return') await giveBack(payout, 25_000n);
        return bank.book.committer.submit(bookId, command);
      },
    };
    await take(next('5'), meanwhile);
    expect(await returns()).toEqual([{ amount: 25_000n }]);
    expect(await ofMerchant()).toEqual([]);
    expect(await openItemsOf(bank)).toEqual([-FUNDED]);
    expect(await bank.balances()).toEqual({ unallocated: FUNDED, pool_owed: -FUNDED });
  });

  test('in parts of one amount: the rail reports the part that the bank has shown, and then another one', async () => {
    await bank.account();
    const payout = await payOut(30_000n);
    E1 = payout.endToEndId;
    await take(camt([{ opening: 0, entries: [{ amount: -30_000, endToEndId: E1, reference: 'S1' }] }]));
    const part = { amount: 15_000, endToEndId: E1, reference: 'S2' };
    await take(camt([{ number: '4', on: '2026-11-04', opening: -30_000, entries: [part] }]));
    expect(await exception()).toMatchObject({ kind: 'payout_returned_at_bank' });
    await approve();
    await take(camt([{ number: '5', on: '2026-11-05', opening: -15_000, entries: [] }]));
    expect(await statusOf(payout)).toBe('paid');
    await giveBack(payout, 15_000n);
    expect(await returns()).toHaveLength(1);
    await giveBack(payout, 15_000n);
    expect(await returns()).toEqual([{ amount: 15_000n }, { amount: 15_000n }]);
    expect(await statusOf(payout)).toBe('returned');
    expect(await ofMerchant()).toEqual([]);
    await mirror();
    expect(await bank.balances()).toEqual({
      bank: -15_000n,
      unallocated: FUNDED,
      rail_clearing: -15_000n,
      pool_owed: -FUNDED,
    });
  });

  test('reported by the rail after all, the line shows that one', async () => {
    const payout = await shown();
    await giveBack(payout, 25_000n);
    await take(next('5'));
    expect(await statusOf(payout)).toBe('returned');
    expect(await openItemsOf(bank)).toEqual([-FUNDED]);
    expect((await bank.exceptions()).map(({ stage }) => stage)).toEqual(['approved']);
  });
});
