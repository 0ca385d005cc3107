/**
 * Collects the fees of a book when a day of it is finished: all that stands on `due_operator` then, due_operator → pool, or back where it is
 * negative. The row of the day moves on in the same command, so a repeat collects nothing.
 */
import { addDays, dayOf, startOfDay } from '../../calendar/day.ts';
import type { Appointment } from '../../group/appointment.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { announce } from '../../ledger/resources/resource.ts';
import { failpoint } from '../../process/failpoints.ts';
import { newId } from '../../values/ids.ts';
import type { FeeCollection, FeeDay } from './fee-collection.ts';
import { feeCollectionResource } from './fee-collection-resource.ts';
import { feeCollections, feeDays } from './fee-collection-table.ts';
import { type FeeTax, splitFee } from './fee-tax.ts';
import { movedFeeDays } from './moved-fee-days.ts';

export const feesOfDays: Appointment = {
  name: 'fees of days that are over',
  rows: movedFeeDays,
  status: 'open',
  column: 'collects_at',
  pool: 'ledger',
  job: 'fee.collect',
  async command(pool, bookId, ids, { feeTax }) {
    const known = [...(await feeDays.load(pool, bookId, ids)).values()];
    failpoint('fee.collect.before');
    return collectFees(bookId, known, feeTax);
  },
  kept: () => failpoint('fee.collect.after'),
};

/** Answers with how many were collected. */
export function collectFees(bookId: BookId, known: readonly FeeDay[], feeTax: FeeTax): Command<number> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  const ids = known.map(({ id }) => id);
  const pools = known.map(({ currency }) => chartAccountId(bookId, 'pool', currency));
  return {
    ...origin,
    name: 'fee.collect',
    touches: [
      { table: feeDays, ids },
      { table: accounts, ids: [...new Set([...ids, ...pools])] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let collected = 0;
      for (const id of draft.each(ids)) {
        const feeDay = draft.get(feeDays, id);
        if (feeDay === undefined || feeDay.collectsAt > moment.book) continue;
        if (collectDay(draft, feeDay, feeTax)) collected += 1;
      }
      return draft.finish(collected);
    },
  };
}

/** Answers with whether there was something to collect. */
function collectDay(draft: Draft, feeDay: FeeDay, feeTax: FeeTax): boolean {
  const { timeZone } = draft.book;
  const { book: now } = draft.moment;
  const today = dayOf(now, timeZone);
  const day = addDays(today, -1);
  const { postedCredits, postedDebits } = draft.account(feeDay.id);
  const amount = postedCredits - postedDebits;
  const isDue = amount !== 0n && (feeDay.collectedOn === null || day > feeDay.collectedOn);
  if (isDue) collect(draft, feeDay, { day, amount, taxBasisPoints: feeTax.get(feeDay.currency) ?? 0 });
  const next = startOfDay(addDays(today, 1), timeZone);
  draft.put(feeDays, feeDay.id, {
    ...feeDay,
    collectsAt: next,
    collectedOn: isDue ? day : feeDay.collectedOn,
    version: feeDay.version + 1,
    dueAt: next,
    updatedAt: now,
  });
  return isDue;
}

function collect(
  draft: Draft,
  { id: due, currency }: FeeDay,
  { day, amount, taxBasisPoints }: Pick<FeeCollection, 'day' | 'amount' | 'taxBasisPoints'>,
): void {
  const id = draft.mintId();
  const pool = draft.chart('pool', currency).id;
  const posting = amount > 0n ? { debit: due, credit: pool, amount } : { debit: pool, credit: due, amount: -amount };
  const entry = draft.post({ resource: 'fee_collection', resourceId: id, step: 'collected', postings: [posting] });
  const { book: now } = draft.moment;
  const { tax } = splitFee(amount, taxBasisPoints);
  const collection: FeeCollection = {
    ...{ id, day, currency, amount, tax, taxBasisPoints, entryId: entry.id },
    ...{ version: 1, createdAt: now, updatedAt: now },
  };
  draft.put(feeCollections, id, collection);
  announce(draft, feeCollectionResource, collection, { event: 'fee_collection.posted', entries: [entry] });
}
