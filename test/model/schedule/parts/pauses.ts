/** Pauses by an operator: what is kept back reaches no rail meanwhile, and all of it goes on afterwards, whoever dies in between. */
import { isPaused } from '../../../../src/payouts/pauses/pause.ts';
import { listPauses } from '../../../../src/payouts/pauses/pause-store.ts';
import type { InForce } from '../operator-model.ts';
import type { ScheduleBook, SchedulePart } from '../part.ts';
import { promisedPayouts } from './payouts.ts';
import { payoutsAtRail } from './payouts-outcome.ts';

/** A process may go by what it began to read so long ago. */
const FRESH_MS = 1_000;

export const pausesPart: SchedulePart = {
  kinds: [],
  act: ({ operator }) => operator.act(),
  close: ({ operator }) => operator.close(),
  countOpen: async (pool) => (await listPauses(pool)).length,
  faultsOf,
};

/** A payout that was asked for behind the pause: whoever moves it reads what is paused after that. */
async function faultsOf(book: ScheduleBook): Promise<string[]> {
  const faults: string[] = [];
  for (const { id, rail, askedAt, sentAt } of await payoutsAtRail(book, promisedPayouts(book.clients))) {
    const over = book.operator.pauses.filter(
      (one) =>
        covers(one, { bookId: book.bookId, rail }) &&
        one.from + FRESH_MS < askedAt &&
        askedAt < (one.to ?? Number.POSITIVE_INFINITY),
    );
    if (over.length > 0) book.scheduler.count('payouts kept back');
    if (over.some(({ to }) => to === undefined || sentAt < to))
      faults.push(`payout ${id} reached its rail while an operator kept it back`);
  }
  return faults;
}

function covers({ paused }: InForce, payout: { readonly bookId: string; readonly rail: string }): boolean {
  return isPaused([{ ...paused, bookIds: paused.scope === 'book' ? [paused.name] : [] }], payout);
}
