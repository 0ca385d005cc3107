/** Properties of the pure core for any commands, in any order and in any batches. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EARLIEST_FORMS } from '../../../src/db/forms.ts';
import { available, held, posted } from '../../../src/ledger/account/account.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { entryHash, GENESIS_HASH } from '../../../src/ledger/entry/entry-hash.ts';
import { holdSteps, holds } from '../../../src/ledger/hold/hold-table.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { payoutReturns } from '../../../src/payouts/returns/payout-return-table.ts';
import { RETURNS_APART } from '../../support/forms.ts';
import { MemoryBook, START } from '../../support/memory-book.ts';
import { type Action, anyAction, inBatches, play } from '../../support/random-commands.ts';
import { runs } from '../../support/runs.ts';

const BOOK = { id: '018f4d3e-7b2a-7000-8000-000000000001' };
/** Begins with a funded account, so that most commands can succeed. */
const actionsOf = (size: fc.SizeForArbitrary) =>
  fc
    .array(anyAction, { minLength: 5, maxLength: 80, size })
    .map((list): Action[] => [{ do: 'open', overdraft: 0 }, { do: 'fund', account: 0, amount: 1_000 }, ...list]);
const actions = actionsOf('small');

const GIVING = ['created', 'increased'];
const TAKING = ['captured', 'released', 'expired'];

const sum = (values: Iterable<bigint>) => [...values].reduce((total, value) => total + value, 0n);

/** Before the contract, and after it. */
const forms = fc.constantFrom(EARLIEST_FORMS, RETURNS_APART);

/** A book after random commands; the clock jumps, backwards too. */
const bookAfter = (list: typeof actions) =>
  fc
    .tuple(list, fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1 }), forms)
    .map(([asked, jumps, written]) => {
      const memory = new MemoryBook(BOOK, written);
      const played = play(memory, asked, (at) => {
        memory.now = START + at * 100 + jumps[at % jumps.length]!;
      });
      return { memory, played };
    });
const anyBook = bookAfter(actions);

const always = (name: string, check: (book: { memory: MemoryBook; played: ReturnType<typeof play> }) => void) =>
  test(name, () => fc.assert(fc.property(anyBook, check), { numRuns: runs(150) }));

always('no command fails by a bug: each is answered', ({ played }) => {
  for (const { command, decision } of played) expect(decision, command.name).not.toHaveProperty('error');
});

always('money is conserved: over a book and currency, debits are credits', ({ memory }) => {
  const all = [...memory.rows(accounts).values()];
  for (const currency of ['EUR', 'JOD']) {
    const of = all.filter((account) => account.currency === currency);
    expect(sum(of.map(({ postedDebits }) => postedDebits))).toBe(sum(of.map(({ postedCredits }) => postedCredits)));
  }
});

always('a balance is the sum of its postings, line by line without a gap', ({ memory }) => {
  const lines = new Map<string, { balance: bigint; count: bigint }>();
  const take = (id: string, line: { number: bigint; after: bigint; debit: boolean; amount: bigint }) => {
    const { balance, count } = lines.get(id) ?? { balance: 0n, count: 0n };
    const grows = (memory.account(id).side === 'debit') === line.debit;
    const now = balance + (grows ? line.amount : -line.amount);
    expect([line.number, line.after]).toEqual([count + 1n, now]);
    lines.set(id, { balance: now, count: count + 1n });
  };
  for (const { debitAccountId, creditAccountId, amount, ...after } of memory.entries.flatMap(
    ({ postings }) => postings,
  )) {
    take(debitAccountId, { number: after.debitLine, after: after.debitBalanceAfter, debit: true, amount });
    take(creditAccountId, { number: after.creditLine, after: after.creditBalanceAfter, debit: false, amount });
  }
  for (const account of memory.rows(accounts).values()) {
    const { balance, count } = lines.get(account.id) ?? { balance: 0n, count: 0n };
    expect([posted(account), account.lines]).toEqual([balance, count]);
  }
});

always('what is held is what open holds have left, and a hold is the sum of its steps', ({ memory }) => {
  const steps = memory.log(holdSteps);
  for (const hold of memory.rows(holds).values()) {
    const own = steps.filter(({ holdId }) => holdId === hold.id);
    expect(own.map(({ ordinal }) => ordinal)).toEqual(own.map((_, at) => at + 1));
    expect(own.length).toBe(hold.steps);
    const [given, taken] = [GIVING, TAKING].map((kinds) =>
      sum(own.filter(({ kind }) => kinds.includes(kind)).map(({ amount }) => amount)),
    );
    expect([given, hold.remaining + taken!]).toEqual([hold.amount, hold.amount]);
    expect(hold.status).toBe(hold.remaining > 0n ? 'open' : own.at(-1)?.kind);
  }
  for (const account of memory.rows(accounts).values()) {
    const open = [...memory.rows(holds).values()].filter(({ accountId }) => accountId === account.id);
    expect(held(account)).toBe(sum(open.map(({ remaining }) => remaining)));
  }
});

always('nothing is available below a floor but after an entry that says so', ({ memory }) => {
  const flagged = new Set(
    memory.entries
      .filter(({ floorOverridden }) => floorOverridden)
      .flatMap(({ postings }) => postings.flatMap((line) => [line.debitAccountId, line.creditAccountId])),
  );
  for (const account of memory.rows(accounts).values()) {
    if (account.floor !== null && available(account) < account.floor) expect(flagged).toContain(account.id);
  }
});

always('sequences have no gap, time does not run back, and the chain verifies', ({ memory }) => {
  let previous = GENESIS_HASH;
  memory.entries.forEach((entry, at) => {
    expect(entry.sequence).toBe(BigInt(at + 1));
    expect(entry.postedAt).toBeGreaterThanOrEqual(memory.entries[at - 1]?.postedAt ?? 0);
    expect(entry.hash).toEqual(entryHash(memory.book.id, previous, entry));
    previous = entry.hash;
  });
  expect(memory.book).toMatchObject({ entrySequence: BigInt(memory.entries.length), chainHash: previous });
  expect(memory.events.map(({ sequence }) => sequence)).toEqual(memory.events.map((_, at) => BigInt(at + 1)));
  expect(memory.book.eventSequence).toBe(BigInt(memory.events.length));
});

always('each step of a payout is booked once, and its row knows its entries', ({ memory }) => {
  for (const payout of memory.rows(payouts).values()) {
    const own = memory.entries.filter(({ resourceId }) => resourceId === payout.id);
    expect(payout.entryIds).toEqual(own.map(({ id }) => id));
    expect(new Set(own.map(({ step }) => step)).size).toBe(own.length);
    const returns = [...memory.rows(payoutReturns).values()].filter(({ payoutId }) => payoutId === payout.id);
    expect(payout.amountReturned).toBe(sum(returns.map(({ amount }) => amount)));
    for (const { id, entryId } of returns) {
      const booked = memory.entries.filter(({ resourceId }) => resourceId === id);
      const isStep = payout.entryIds.includes(entryId);
      expect(booked.map((entry) => entry.id)).toEqual(isStep ? [] : [entryId]);
    }
    expect(payout.returns).toBe(returns.filter(({ entryId }) => payout.entryIds.includes(entryId)).length);
    expect(payout.dueAt === null).toBe(!['pending', 'processing'].includes(payout.status));
  }
});

describe('batches', () => {
  /**
   * Closing an account sees payouts in flight as of the start of its batch. The answers differ only where the same
   * batch settles the last of them, and then the account stays open. Closing is left out here.
   */
  const withoutClosing = actions.map((list) =>
    list.filter((action) => action.do !== 'status' || action.action !== 'close'),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 });

  test('of any size give the same entries, hashes, rows, events and answers as single commands', () => {
    fc.assert(
      fc.property(withoutClosing, sizes, forms, (list, batchSizes, written) => {
        const alone = new MemoryBook(BOOK, written);
        const played = play(alone, list);
        const together = new MemoryBook(BOOK, written);
        const commands = played.map(({ command }) => command);
        const decisions = inBatches(commands, batchSizes).flatMap((batch) => together.run(batch));
        expect(decisions).toEqual(played.map(({ decision }) => decision));
        expect(together.entries).toEqual(alone.entries);
        expect(together.events).toEqual(alone.events);
        expect(together.dump()).toEqual(alone.dump());
      }),
      { numRuns: runs(150) },
    );
  });
});

describe('the random commands', () => {
  test('reach every status and most steps, so that the properties cover them', () => {
    const statuses = new Set<string>();
    const steps = new Set<string>();
    const kinds = new Set<string>();
    const books = fc.sample(bookAfter(actionsOf('max')), { numRuns: 200, seed: 7 });
    for (const { memory } of books) {
      for (const { status } of memory.rows(payouts).values()) statuses.add(status);
      for (const { step } of memory.entries) steps.add(step);
      for (const { kind } of memory.log(holdSteps)) kinds.add(kind);
    }
    expect([...kinds].sort()).toEqual(['captured', 'created', 'increased', 'released']);
    expect([...statuses].sort()).toEqual([
      ...['canceled', 'failed', 'paid', 'pending', 'processing', 'rejected', 'requires_approval', 'returned'],
    ]);
    expect([...steps]).toEqual(
      expect.arrayContaining([
        'received',
        'reserved',
        'paid',
        'failed',
        'paid_after_failed',
        'returned_1',
        'returned_2',
        'returned',
      ]),
    );
  });
});
