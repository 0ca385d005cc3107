import { beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/ledger/account/account.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { chartAccountId, newAccount } from '../../../src/ledger/account/chart.ts';
import type { Outcome } from '../../../src/ledger/command/command.ts';
import { Draft, type EntryRequest, PostingRefused } from '../../../src/ledger/command/draft.ts';
import { entryHash } from '../../../src/ledger/entry/entry-hash.ts';
import type { HoldStep } from '../../../src/ledger/hold/hold.ts';
import { holdSteps, holds } from '../../../src/ledger/hold/hold-table.ts';
import { MAX_TOTAL } from '../../../src/money/amount.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { MemoryBook, START } from '../../support/memory-book.ts';
import { momentAt } from '../../support/moment.ts';

const ID = '018f4d3e-7b2a-7000-8000-00000000fffe';
const [ANNA, BERT, DINA, HOLD] = [newId(), newId(), newId(), newId()] as const;
const RESOURCE = { resource: 'entry', resourceId: newId(), step: 'done' } as const;

let memory: MemoryBook;
let draft: Draft;

beforeEach(() => {
  memory = new MemoryBook();
  const open = (id: string, change: Partial<Account>) =>
    memory.put(accounts, id, { ...newAccount(id, 'customer', 'EUR'), ...change });
  open(ANNA, { postedCredits: 1_000n, lines: 4n });
  open(BERT, {});
  open(DINA, { currency: 'JOD' });
  const ids = [ANNA, BERT, DINA, chartAccountId(memory.book.id, 'pool', 'EUR')];
  const state = memory.state([
    {
      touches: [
        { table: accounts, ids },
        { table: holds, ids: [HOLD] },
      ],
    },
  ]);
  draft = new Draft(state, { id: ID, requestId: newId(), actor: 'api_key:key_1' }, momentAt(START));
});

const entry = (...postings: EntryRequest['postings']) => ({ ...RESOURCE, postings });
const lineOf = (debit: string, credit: string, amount: bigint) => ({ debit, credit, amount });
const changedIds = (outcome: Outcome<unknown>) => outcome.rows.map(({ id }) => id).sort();

describe('an entry of the system in closed days', () => {
  const DAY = 86_400_000;
  const ofReturn = { resource: 'payout_return', resourceId: newId(), step: 'returned' } as const;
  const dayOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  const returned = (effectiveAt: number) => {
    memory.book = { ...memory.book, closedThrough: dayOf(START - 3 * DAY) };
    const state = memory.state([{ touches: [{ table: accounts, ids: [ANNA, BERT] }] }]);
    const closed = new Draft(state, { id: ID, requestId: newId() }, momentAt(START));
    const posted = closed.post({ ...ofReturn, postings: [lineOf(ANNA, BERT, 1n)], effectiveAt });
    return { posted, lines: closed.finish(undefined).appends.map(({ row }) => row) };
  };

  test('takes effect on the first open day, and names the day on which it occurred', () => {
    const { posted, lines } = returned(START - 5 * DAY);
    const [open, occurred] = [dayOf(START - 2 * DAY), dayOf(START - 5 * DAY)];
    expect([dayOf(posted.effectiveAt), posted.occurredOn, posted.postedAt]).toEqual([open, occurred, START]);
    expect(lines).toMatchObject([
      { accountId: ANNA, change: -1n, postedOn: dayOf(START), effectiveOn: open },
      { accountId: BERT, change: 1n, postedOn: dayOf(START), effectiveOn: open },
    ]);
  });

  test('takes effect as it says on the day behind the last closed one', () => {
    const { posted } = returned(START - 2 * DAY);
    expect([posted.effectiveAt, posted.occurredOn]).toEqual([START - 2 * DAY, null]);
  });
});

describe('an entry', () => {
  test('moves its amount from debit to credit, with line numbers and balances on both sides', () => {
    const posted = draft.post(entry(lineOf(ANNA, BERT, 300n), lineOf(BERT, ANNA, 100n)));
    expect(posted.postings).toEqual([
      {
        ordinal: 1,
        debitAccountId: ANNA,
        creditAccountId: BERT,
        amount: 300n,
        currency: 'EUR',
        debitLine: 5n,
        debitBalanceAfter: 700n,
        creditLine: 1n,
        creditBalanceAfter: 300n,
      },
      {
        ordinal: 2,
        debitAccountId: BERT,
        creditAccountId: ANNA,
        amount: 100n,
        currency: 'EUR',
        debitLine: 2n,
        debitBalanceAfter: 200n,
        creditLine: 6n,
        creditBalanceAfter: 800n,
      },
    ]);
    expect(draft.account(ANNA)).toMatchObject({ postedDebits: 300n, postedCredits: 1_100n, lines: 6n });
    expect(draft.account(BERT)).toMatchObject({ postedDebits: 100n, postedCredits: 300n, lines: 2n });
  });

  test("takes the next sequence, chains to its predecessor and sets the book's last posting time", () => {
    const first = draft.post(entry(lineOf(ANNA, BERT, 1n)));
    const second = draft.post({ ...entry(lineOf(ANNA, BERT, 1n)), effectiveAt: START - 86_400_000 });
    expect([first.sequence, second.sequence]).toEqual([1n, 2n]);
    expect(first).toMatchObject({ postedAt: START, effectiveAt: START });
    expect(second).toMatchObject({ postedAt: START, effectiveAt: START - 86_400_000 });
    expect(second.hash).toEqual(entryHash(memory.book.id, first.hash, second));
    expect(draft.book).toMatchObject({ entrySequence: 2n, chainHash: second.hash, lastPostedAt: START });
  });

  test('leaves out zero postings', () => {
    const { postings } = draft.post(entry(lineOf(ANNA, BERT, 0n), lineOf(ANNA, BERT, 5n)));
    expect(postings).toMatchObject([{ ordinal: 1, amount: 5n }]);
  });

  test.each`
    why                            | postings
    ${'it has no posting'}         | ${[]}
    ${'all postings are zero'}     | ${[lineOf(ANNA, BERT, 0n)]}
    ${'an amount is negative'}     | ${[lineOf(ANNA, BERT, -1n)]}
    ${'an account meets itself'}   | ${[lineOf(ANNA, ANNA, 1n)]}
    ${'an account is not known'}   | ${[lineOf(ANNA, chartAccountId('x', 'pool', 'EUR'), 1n)]}
    ${'an account does not exist'} | ${[lineOf(ANNA, HOLD, 1n)]}
  `('is a bug when $why', ({ postings }) => {
    expect(() => draft.post(entry(...postings))).toThrow();
  });

  test.each`
    why                                  | postings                                                | code
    ${'the debited account lacks funds'} | ${[lineOf(BERT, ANNA, 1n)]}                             | ${'insufficient_funds'}
    ${'a later posting is refused'}      | ${[lineOf(ANNA, BERT, 900n), lineOf(ANNA, BERT, 101n)]} | ${'insufficient_funds'}
    ${'currencies differ'}               | ${[lineOf(ANNA, DINA, 1n)]}                             | ${'currency_mismatch'}
    ${'currencies differ, other way'}    | ${[lineOf(DINA, ANNA, 1n)]}                             | ${'insufficient_funds'}
  `('is refused as a whole when $why', ({ postings, code }) => {
    expect(draft.tryPost(entry(...postings))).toMatchObject({ code });
    expect(() => draft.post(entry(...postings))).toThrow(PostingRefused);
    const outcome = draft.finish('answer');
    expect(outcome).toMatchObject({ book: memory.book, entries: [], rows: [] });
  });

  test('may spend money that arrives earlier in it', () => {
    expect(draft.tryPost(entry(lineOf(ANNA, BERT, 10n), lineOf(BERT, ANNA, 10n)))).toHaveProperty('hash');
  });

  test.each`
    amount    | overrideFloor | flagged
    ${1_000n} | ${true}       | ${false}
    ${1_001n} | ${true}       | ${true}
    ${1_000n} | ${false}      | ${false}
  `('of $amount with permission $overrideFloor is flagged $flagged', ({ amount, overrideFloor, flagged }) => {
    expect(draft.post({ ...entry(lineOf(ANNA, BERT, amount)), overrideFloor }).floorOverridden).toBe(flagged);
  });

  test('is refused when a total would exceed the column', () => {
    const pool = draft.chart('pool', 'EUR').id;
    draft.post(entry(lineOf(pool, BERT, MAX_TOTAL)));
    expect(draft.tryPost(entry(lineOf(pool, ANNA, 1n)))).toEqual({
      posting: 0,
      code: 'limit_exceeded',
      accountId: pool,
    });
  });

  test('opens a chart account once, when it is first used', () => {
    const pool = draft.chart('pool', 'EUR');
    expect(draft.chart('pool', 'EUR')).toBe(pool);
    expect(changedIds(draft.finish(null))).toEqual([pool.id]);
  });
});

describe('a hold', () => {
  const request = { id: HOLD, accountId: ANNA, resource: 'payout', resourceId: newId() } as const;

  test('reduces the available balance, and is a row with its first step', () => {
    const placed = draft.placeHold({ ...request, amount: 400n });
    expect(placed).toMatchObject({ id: HOLD, amount: 400n, remaining: 400n, status: 'open', steps: 1 });
    expect(draft.account(ANNA)).toMatchObject({ heldDebits: 400n, postedCredits: 1_000n });
    const { appends } = draft.finish(null);
    expect(appends).toEqual([
      {
        log: holdSteps,
        row: { holdId: HOLD, ordinal: 1, kind: 'created', amount: 400n, floorOverridden: false, createdAt: START },
      },
    ]);
  });

  test('above the available balance is refused, and changes nothing', () => {
    expect(draft.placeHold({ ...request, amount: 1_001n })).toBe(false);
    expect(draft.finish(null)).toMatchObject({ rows: [], appends: [] });
  });

  test.each`
    amount    | flagged
    ${1_000n} | ${false}
    ${1_001n} | ${true}
  `('of $amount that somebody else has decided is placed, flagged $flagged', ({ amount, flagged }) => {
    expect(draft.placeHold({ ...request, amount, overrideFloor: true })).toMatchObject({ remaining: amount });
    expect(draft.account(ANNA).heldDebits).toBe(amount);
    expect(draft.finish(null).appends).toMatchObject([{ row: { kind: 'created', floorOverridden: flagged } }]);
  });

  test.each`
    amount  | flagged
    ${600n} | ${false}
    ${601n} | ${true}
  `('is increased by $amount likewise, flagged $flagged; what takes from it is not', ({ amount, flagged }) => {
    draft.placeHold({ ...request, amount: 400n });
    expect(draft.increaseHold(HOLD, amount, { overrideFloor: true })).toMatchObject({ remaining: 400n + amount });
    draft.takeFromHold(HOLD, 'captured', 1n);
    const steps = draft.finish(null).appends.map(({ row }) => (row as HoldStep).floorOverridden);
    expect(steps).toEqual([false, flagged, false]);
  });

  test('is taken in parts, each of which leaves the held balance', () => {
    draft.placeHold({ ...request, amount: 400n });
    draft.takeFromHold(HOLD, 'captured', 300n);
    expect(draft.account(ANNA).heldDebits).toBe(100n);
    expect(draft.takeFromHold(HOLD, 'released')).toMatchObject({ remaining: 0n, status: 'released', steps: 3 });
    expect(draft.account(ANNA).heldDebits).toBe(0n);
    const kinds = draft.finish(null).appends.map(({ row }) => (row as { kind: string }).kind);
    expect(kinds).toEqual(['created', 'captured', 'released']);
  });

  test('is increased while it is open, and its account holds more', () => {
    draft.placeHold({ ...request, amount: 400n });
    draft.takeFromHold(HOLD, 'captured', 300n);
    expect(draft.increaseHold(HOLD, 900n)).toMatchObject({
      amount: 1_300n,
      remaining: 1_000n,
      status: 'open',
      steps: 3,
    });
    expect(draft.account(ANNA).heldDebits).toBe(1_000n);
    const { appends } = draft.finish(null);
    expect(appends.at(-1)).toEqual({
      log: holdSteps,
      row: { holdId: HOLD, ordinal: 3, kind: 'increased', amount: 900n, floorOverridden: false, createdAt: START },
    });
  });

  test('is not increased by more than is available, and nothing changes', () => {
    const placed = draft.placeHold({ ...request, amount: 400n });
    expect(draft.increaseHold(HOLD, 601n)).toBe(false);
    expect(draft.get(holds, HOLD)).toBe(placed);
    expect(draft.account(ANNA).heldDebits).toBe(400n);
    expect(draft.finish(null).appends).toHaveLength(1);
  });

  test('that has ended cannot be increased', () => {
    draft.placeHold({ ...request, amount: 400n });
    draft.takeFromHold(HOLD, 'captured');
    expect(() => draft.increaseHold(HOLD, 1n)).toThrow(RangeError);
  });

  test('with nothing remaining stays as it is', () => {
    draft.placeHold({ ...request, amount: 400n });
    const captured = draft.takeFromHold(HOLD, 'captured');
    expect(draft.takeFromHold(HOLD, 'released')).toBe(captured);
  });

  test('cannot be taken beyond what remains', () => {
    draft.placeHold({ ...request, amount: 400n });
    expect(() => draft.takeFromHold(HOLD, 'captured', 401n)).toThrow(RangeError);
  });
});

describe('an event', () => {
  const tell = (type: string) => draft.emit({ type, objectId: ANNA, objectSequence: 3, object: { amount: 5n } });

  test('takes the next sequence of the book', () => {
    expect([tell('account.created'), tell('account.updated')].map(({ sequence }) => sequence)).toEqual([1n, 2n]);
    expect(draft.book).toMatchObject({ eventSequence: 2n, lastPostedAt: START });
  });

  test('carries the body that every receiver gets, with the exact postings of its entries', () => {
    const posted = draft.post(entry(lineOf(ANNA, BERT, 300n)));
    const event = draft.emit({
      type: 'account.updated',
      objectId: ANNA,
      objectSequence: 3,
      object: { total: 2n ** 60n },
      previousAttributes: { status: 'open' },
      entries: [posted],
    });
    expect(event.payload).toContain('"total":1152921504606846976');
    expect(JSON.parse(event.payload)).toMatchObject({
      id: publicId('event', event.id),
      object: 'event',
      type: 'account.updated',
      sequence: 1,
      object_sequence: 3,
      created_at: '2026-03-01T00:00:00.000Z',
      livemode: false,
      data: { previous_attributes: { status: 'open' } },
      journal_entries: [
        {
          id: publicId('entry', posted.id),
          hash: posted.hash,
          postings: [
            {
              debit: { account: publicId('account', ANNA), code: 'customer', sequence: 5, balance_after: 700 },
              credit: { account: publicId('account', BERT), code: 'customer', sequence: 1, balance_after: 300 },
              amount: 300,
              currency: 'EUR',
              currency_exponent: 2,
            },
          ],
        },
      ],
    });
  });

  test('names its actor', () => {
    expect(tell('account.created').actor).toBe('api_key:key_1');
  });
});

describe('the ids of a command', () => {
  test('count up from its own id, past the last digit', () => {
    expect([draft.mintId(), draft.mintId(), draft.mintId()]).toEqual([
      '018f4d3e-7b2a-7000-8000-00000000ffff',
      '018f4d3e-7b2a-7000-8000-000000000000',
      '018f4d3e-7b2a-7000-8000-000000000001',
    ]);
  });

  test('are the same on every attempt', () => {
    const again = new Draft(memory.state([{ touches: [] }]), { id: ID, requestId: newId() }, momentAt(START));
    expect(again.mintId()).toBe(draft.mintId());
  });

  /** The ids that each item mints, by the command's own id. */
  const idsOfItems = (counts: readonly number[]) => {
    const own = new Draft(memory.state([{ touches: [] }]), { id: ID, requestId: newId() }, momentAt(START));
    const items: Uuid[][] = [];
    for (const count of own.each(counts)) items.push(Array.from({ length: count }, () => own.mintId()));
    return { items, behind: own.mintId() };
  };

  test('are apart for each of its items, in the order of the items', () => {
    const { items, behind } = idsOfItems([300, 0, 300]);
    expect(new Set([behind, ...items.flat()]).size).toBe(601);
    // Behind its items, a command goes on with its own.
    expect(behind).toBe(draft.mintId());
    expect(items[0]![0]! < items[2]![0]!).toBe(true);
  });

  test('are the same for an item on every attempt, however many other items need', () => {
    expect(idsOfItems([7, 0, 2]).items[2]).toEqual(idsOfItems([0, 40, 2]).items[2]);
  });

  test('are minted once for each item: a list is walked once', () => {
    const own = new Draft(memory.state([{ touches: [] }]), { id: ID, requestId: newId() }, momentAt(START));
    expect([...own.each([1, 2])]).toEqual([1, 2]);
    expect(() => [...own.each([3])]).toThrow('once');
  });
});

test('the state under a draft never changes', () => {
  const state = memory.state([{ touches: [{ table: accounts, ids: [ANNA, BERT] }] }]);
  const before = [state.book, state.account(ANNA), state.account(BERT)];
  const own = new Draft(state, { id: ID, requestId: newId() }, momentAt(START));
  own.post(entry(lineOf(ANNA, BERT, 300n)));
  own.emit({ type: 'account.updated', objectId: ANNA, objectSequence: 1, object: {} });
  expect([state.book, state.account(ANNA), state.account(BERT)]).toEqual(before);
  expect(state.isUnchanged).toBe(true);
});
