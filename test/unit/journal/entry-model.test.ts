/**
 * A model of entries that are asked for: plain sums decide what each command must answer, and the ledger answers the same. Postings,
 * captures of holds, reversals, days of effect, days that people close and open again, in random order.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountHolds } from '../../../src/accounts/holds/account-hold-table.ts';
import { placeAccountHold } from '../../../src/accounts/holds/place-hold.ts';
import { addDays, dayOf } from '../../../src/calendar/day.ts';
import { postEntry } from '../../../src/journal/entries/post-entries.ts';
import { reverseEntry } from '../../../src/journal/entries/reverse-entry.ts';
import { closeBooks } from '../../../src/journal/periods/close-books.ts';
import { endClose } from '../../../src/journal/periods/end-close.ts';
import type { Period } from '../../../src/journal/periods/period.ts';
import { periods } from '../../../src/journal/periods/period-table.ts';
import { reopenBooks } from '../../../src/journal/periods/reopen-books.ts';
import { available, posted } from '../../../src/ledger/account/account.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { newAccount } from '../../../src/ledger/account/chart.ts';
import type { Entry } from '../../../src/ledger/entry/entry.ts';
import { holds } from '../../../src/ledger/hold/hold-table.ts';
import { effectiveLines } from '../../../src/ledger/journal/journal-tables.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { MemoryBook } from '../../support/memory-book.ts';
import { runs } from '../../support/runs.ts';

const BY = { requestId: newId(), actor: 'test' };
const TEXTS = { description: null, externalId: null, metadata: {} };
const ACCOUNTS = 3;
const BEGAN_WITH = 100n;

interface ModelHold {
  id: string;
  account: number;
  remaining: bigint;
}

/** Days that one of two people closed. */
interface ModelPeriod {
  readonly by: number;
  readonly through: string;
  readonly closedBefore: string | null;
  /** Undefined while they are closed. */
  reopenedAfter?: string | null;
}

/** What plain sums say. */
class Model {
  readonly available = Array<bigint>(ACCOUNTS).fill(BEGAN_WITH);
  readonly posted = Array<bigint>(ACCOUNTS).fill(BEGAN_WITH);
  readonly holds: ModelHold[] = [];
  readonly entries: { entry: Entry; moved: [number, number, bigint][]; reversed: boolean; isReversal: boolean }[] = [];
  /** By day of effect, what the account gained. */
  readonly effects: { account: number; day: string; amount: bigint }[] = [];
  closedThrough: string | null = null;
  readonly periods: ModelPeriod[] = [];
}

type Posting = { from: number; to: number; amount: bigint; hold?: ModelHold };

/** The code that the postings must be refused with; undefined where they are booked, and then they are counted. */
function play(model: Model, postings: readonly Posting[], day: string): string | undefined {
  const left = new Map<ModelHold, bigint>();
  for (const { amount, hold } of postings) {
    if (!hold) continue;
    const remaining = left.get(hold) ?? hold.remaining;
    if (hold.remaining === 0n) return 'state_conflict';
    if (amount > remaining) return 'amount_above_maximum';
    left.set(hold, remaining - amount);
  }
  const after = [...model.available];
  for (const { from, to, amount, hold } of postings) {
    if (!hold && after[from]! < amount) return 'insufficient_funds';
    if (!hold) after[from]! -= amount;
    after[to]! += amount;
  }
  model.available.splice(0, ACCOUNTS, ...after);
  for (const [hold, remaining] of left) hold.remaining = remaining;
  for (const { from, to, amount } of postings) {
    model.posted[from]! -= amount;
    model.posted[to]! += amount;
    model.effects.push({ account: from, day, amount: -amount }, { account: to, day, amount });
  }
  return undefined;
}

const place = fc.nat(ACCOUNTS - 1);
const amount = fc.bigInt(1n, 60n);
const step = fc.oneof(
  fc.record({
    kind: fc.constant('post' as const),
    postings: fc.array(
      fc.record({ from: place, by: fc.integer({ min: 1, max: ACCOUNTS - 1 }), amount, hold: fc.option(fc.nat(5)) }),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    daysAgo: fc.option(fc.nat(5)),
  }),
  fc.record({ kind: fc.constant('hold' as const), account: place, amount }),
  fc.record({ kind: fc.constant('reverse' as const), which: fc.nat(10) }),
  fc.record({
    kind: fc.constant('close' as const),
    daysAgo: fc.integer({ min: -1, max: 5 }),
    by: fc.nat(1),
    isFaulty: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('reopen' as const), daysAgo: fc.option(fc.nat(6)), by: fc.nat(1) }),
  fc.record({ kind: fc.constant('wait' as const), hours: fc.nat(40) }),
);

test('the ledger answers as plain sums do, whatever is asked in whatever order', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.constantFrom('UTC', 'Asia/Amman', 'America/Sao_Paulo'),
      (steps, timeZone) => {
        const memory = new MemoryBook({ timeZone }, LATEST_FORMS);
        const ids = Array.from({ length: ACCOUNTS }, newId);
        for (const id of ids)
          memory.put(accounts, id, { ...newAccount(id, 'customer', 'EUR'), postedCredits: BEGAN_WITH });
        const model = new Model();
        const today = () => dayOf(memory.now, timeZone);
        for (const one of steps) {
          if (one.kind === 'wait') memory.now += one.hours * 3_600_000;
          if (one.kind === 'close') playClose(memory, model, { ...one, through: addDays(today(), -one.daysAgo) });
          if (one.kind === 'reopen')
            playReopening(memory, model, {
              by: one.by,
              after: one.daysAgo === null ? null : addDays(today(), -one.daysAgo),
            });
          if (one.kind === 'hold') {
            const answer = memory.answer(
              placeAccountHold({ accountId: ids[one.account]!, amount: one.amount, expiresAt: null, ...TEXTS, ...BY }),
            );
            expect(answer.refused === undefined).toBe(model.available[one.account]! >= one.amount);
            if (answer.refused) continue;
            model.available[one.account]! -= one.amount;
            model.holds.push({ id: answer.resourceId!, account: one.account, remaining: one.amount });
          }
          if (one.kind === 'post') {
            const postings = one.postings.map(({ from, by, amount: moved, hold: at }): Posting => {
              const hold = at === null ? undefined : model.holds[at];
              const debited = hold?.account ?? from;
              return { from: debited, to: (debited + by) % ACCOUNTS, amount: moved, ...(hold && { hold }) };
            });
            const day = one.daysAgo === null ? undefined : addDays(today(), -one.daysAgo);
            const isClosed = day !== undefined && model.closedThrough !== null && day <= model.closedThrough;
            const expected = isClosed ? 'period_closed' : play(model, postings, day ?? today());
            const answer = memory.answer(
              postEntry(
                { bookId: memory.book.id, ...BY },
                {
                  postings: postings.map(({ from, to, amount: moved, hold }) => ({
                    ...{ debit: ids[from]!, credit: ids[to]!, amount: moved, currency: 'EUR' },
                    hold: hold?.id,
                  })),
                  ...{ effectiveOn: day, expect: [], ...TEXTS },
                },
              ),
            );
            expect(answer.refused).toBe(expected);
            if (answer.refused) continue;
            const moved = postings.map(({ from, to, amount: sum }): [number, number, bigint] => [from, to, sum]);
            model.entries.push({ entry: memory.entries.at(-1)!, moved, reversed: false, isReversal: false });
          }
          if (one.kind === 'reverse') {
            const known = model.entries[one.which];
            if (!known || known.isReversal) continue;
            const back = known.moved
              .toReversed()
              .map(([from, to, sum]): Posting => ({ from: to, to: from, amount: sum }));
            const expected = known.reversed ? 'state_conflict' : play(model, back, today());
            const answer = memory.answer(
              reverseEntry(known.entry, { bookId: memory.book.id, description: null, ...BY }),
            );
            expect(answer.refused).toBe(expected);
            if (answer.refused) continue;
            known.reversed = true;
            model.entries.push({ entry: memory.entries.at(-1)!, moved: [], reversed: false, isReversal: true });
            expect(memory.entries.at(-1)!.reverses).toBe(known.entry.id);
          }
        }
        expect(ids.map((id) => available(memory.account(id)))).toEqual(model.available);
        expect(ids.map((id) => posted(memory.account(id)))).toEqual(model.posted);
        for (const { id, remaining } of model.holds) {
          expect(memory.get(holds, id).remaining).toBe(remaining);
          const { amount: all, captured } = memory.get(accountHolds, id);
          expect(all - captured).toBe(remaining);
        }
        expectEffects(memory, model, ids);
        expect(memory.book.closedThrough).toBe(model.closedThrough);
      },
    ),
    { numRuns: runs(150) },
  );
});

const PEOPLE = [0, 1].map(() => `person:${publicId('person', newId())}:${publicId('apiKey', newId())}`);

/** The rows as the stores of periods would find them. */
const rowsOf = (memory: MemoryBook, is: (period: Period) => boolean) => [...memory.rows(periods).values()].filter(is);

const refusedOf = (act: () => { readonly refused?: string }): string | undefined => {
  try {
    return act().refused;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

function playClose(
  memory: MemoryBook,
  model: Model,
  { through, by, isFaulty }: { through: string; by: number; isFaulty: boolean },
): void {
  const isLater = model.closedThrough === null || through > model.closedThrough;
  const expected = isLater && through < dayOf(memory.now, memory.book.timeZone) ? undefined : 'state_conflict';
  const sequence = rowsOf(memory, ({ status }) => status === 'closed' || status === 'reopened').reduce(
    (most, { throughSequence }) => (throughSequence > most ? throughSequence : most),
    0n,
  );
  const { closedThrough, entrySequence, chainHash } = memory.book;
  const before = { closedThrough, pending: undefined, verified: { sequence, event: 0n } };
  const close = closeBooks({ ...BY, actor: PEOPLE[by]!, through, reason: null, before });
  expect(refusedOf(() => memory.answer(close))).toBe(expected);
  if (expected) return;
  const [period] = rowsOf(memory, ({ status }) => status === 'pending');
  expect(period).toMatchObject({ through, throughSequence: entrySequence, chainHash, sinceSequence: sequence });
  expect(memory.book.closedThrough).toBe(through);
  // While it is under way, neither a close nor an opening comes between.
  const meanwhile = { closedThrough: through, pending: period!.id };
  const another = closeBooks({
    ...close,
    ...BY,
    through: '9999-01-01',
    reason: null,
    before: { ...before, ...meanwhile },
  });
  const opening = reopenBooks({ ...BY, after: null, reason: 'x', before: { ...meanwhile, behind: [period!] } });
  for (const command of [another, opening]) expect(refusedOf(() => memory.answer(command))).toBe('state_conflict');
  const finding = { check: 'journal.chain' as const, ids: {}, expected: 'a', actual: 'b', detail: 'c' };
  const found = isFaulty ? { findings: [finding], findingsTotal: 1 } : { findings: [], findingsTotal: 0 };
  const end = endClose(period!, { digest: '00', openItems: [], ...found });
  expect(memory.answer(end)).toBe(true);
  // Whoever took over meanwhile ends it once more, and changes nothing.
  expect(memory.answer(endClose(period!, { digest: '11', openItems: [], findings: [], findingsTotal: 0 }))).toBe(false);
  if (isFaulty) return;
  model.periods.push({ by, through, closedBefore: model.closedThrough });
  model.closedThrough = through;
}

function playReopening(memory: MemoryBook, model: Model, { after, by }: { after: string | null; by: number }): void {
  const { closedThrough } = model;
  const isBehind = ({ through, reopenedAfter }: ModelPeriod) =>
    reopenedAfter === undefined && (after === null || through > after);
  const keepsDays = ({ closedBefore, reopenedAfter }: ModelPeriod) =>
    typeof reopenedAfter === 'string' &&
    reopenedAfter === closedThrough &&
    (closedBefore === null || closedBefore < reopenedAfter);
  const isOpen = closedThrough === null || (after !== null && after >= closedThrough);
  const isOwn = model.periods.some((period) => period.by === by && (isBehind(period) || keepsDays(period)));
  const expected = isOpen ? 'state_conflict' : isOwn ? 'self_approval_forbidden' : undefined;
  const behind = rowsOf(
    memory,
    ({ status, through, closedBefore, reopenedAfter }) =>
      (status === 'closed' && (after === null || through > after)) ||
      (reopenedAfter !== null &&
        reopenedAfter === closedThrough &&
        (closedBefore === null || closedBefore < reopenedAfter)),
  );
  const before = { closedThrough: memory.book.closedThrough, pending: undefined, behind };
  const command = reopenBooks({ ...BY, actor: PEOPLE[by]!, after, reason: 'Again', before });
  expect(refusedOf(() => memory.answer(command))).toBe(expected);
  if (expected) return;
  for (const period of model.periods) if (isBehind(period)) period.reopenedAfter = after;
  model.closedThrough = after;
}

/** The balance at the end of a day of effect is the posted one of that day with the log's lines added and taken off. */
function expectEffects(memory: MemoryBook, model: Model, ids: readonly string[]): void {
  const { timeZone } = memory.book;
  const log = memory.log(effectiveLines);
  for (let ago = -1; ago < 8; ago++) {
    const day = addDays(dayOf(memory.now, timeZone), -ago);
    for (const [account, id] of ids.entries()) {
      let balance = BEGAN_WITH;
      for (const { postedAt, postings } of memory.entries) {
        if (dayOf(postedAt, timeZone) > day) continue;
        for (const { debitAccountId, creditAccountId, amount: moved } of postings) {
          if (debitAccountId === id) balance -= moved;
          if (creditAccountId === id) balance += moved;
        }
      }
      for (const { accountId, postedOn, effectiveOn, change } of log) {
        if (accountId !== id) continue;
        if (effectiveOn <= day && postedOn > day) balance += change;
        if (effectiveOn > day && postedOn <= day) balance -= change;
      }
      const effects = model.effects.filter((effect) => effect.account === account && effect.day <= day);
      expect(balance).toBe(effects.reduce((sum, effect) => sum + effect.amount, BEGAN_WITH));
    }
  }
}
