/**
 * Lines of bank statements as money that arrives. A line is the credit that a rail's inbox may have reported: both have the id that the bank
 * account and the bank's reference give, so whichever file comes first books it, there is one exception where nobody is named, and what persons have
 * made of the credit before its line came is what the line is for.
 */
import { findInboundTransfer } from '../../accounts/inbound-transfers/inbound-transfer-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Arrival, Arrivals } from '../../outside/credits/arrival.ts';
import type { Credit, ReportedCredit } from '../../outside/credits/credit.ts';
import { identifyCredits, reportCredits } from '../../outside/credits/credit-store.ts';
import { inboundCredits } from '../../outside/credits/credit-table.ts';
import { encodeActor } from '../../values/actor.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { type CreditRuntime, FROM_STATEMENTS, takeCredits, unallocatedIds } from '../credits/take-credits.ts';
import { referencesIn } from '../references/receive-reference.ts';
import { returnTransfer } from './return-transfer.ts';

const ACTOR = encodeActor({ type: 'system', part: 'reconciliation' });

export function arrivalsOf(runtime: CreditRuntime): Arrivals {
  return {
    async take(bookId, arrivals) {
      const named = arrivals.filter(({ amount, texts }) => amount > 0n && referencesIn(texts).length > 0);
      await takeThese(runtime, bookId, named);
      const known = await readKnown(runtime, bookId, arrivals);
      for (const { arrival, credit } of known)
        if (arrival.amount < 0n && credit !== undefined) await takeBack(runtime, credit);
      return exceptionsOf(runtime, bookId, known);
    },
    async leave(bookId, arrivals) {
      await takeThese(runtime, bookId, arrivals);
      return exceptionsOf(runtime, bookId, await readKnown(runtime, bookId, arrivals));
    },
  };
}

async function takeThese(runtime: CreditRuntime, bookId: BookId, arrivals: readonly Arrival[]): Promise<void> {
  if (arrivals.length === 0) return;
  const { pool, secretBox, clock } = runtime;
  const reporter = { bookId, rail: FROM_STATEMENTS, secretBox, now: clock.now(), byStatement: true as const };
  await reportCredits(pool, reporter, arrivals.map(creditOf));
  await takeCredits(runtime, bookId, await idsOf(runtime, bookId, arrivals));
}

function creditOf(arrival: Arrival): ReportedCredit {
  const { lineId, texts, amount, ...facts } = arrival;
  return { ...facts, place: lineId, amount: amount < 0n ? -amount : amount, remittance: texts };
}

/** Each is of a reference that one line of its direction has: the first of its turn, as in a notice of it. */
async function idsOf({ pool }: CreditRuntime, bookId: BookId, arrivals: readonly Arrival[]): Promise<Uuid[]> {
  const found = await identifyCredits(pool, { bookId, rail: FROM_STATEMENTS }, arrivals.map(creditOf));
  return found.map(({ id }) => id);
}

interface Known {
  readonly arrival: Arrival;
  readonly credit: Credit | undefined;
}

/** What is known of the credits of these lines by now. One that a notice has just reported goes where it goes first. */
async function readKnown(runtime: CreditRuntime, bookId: BookId, arrivals: readonly Arrival[]): Promise<Known[]> {
  if (arrivals.length === 0) return [];
  const ids = await idsOf(runtime, bookId, arrivals);
  const found = await inboundCredits.load(runtime.pool, bookId, ids);
  const due = [...found.values()].filter(({ dueAt }) => dueAt !== null).map(({ id }) => id);
  await takeCredits(runtime, bookId, due);
  const moved = due.length === 0 ? found : await inboundCredits.load(runtime.pool, bookId, ids);
  return arrivals.map((arrival, index) => ({ arrival, credit: moved.get(ids[index]!) }));
}

/** By line. A credit that was given to a book keeps the exception in which that was decided. */
async function exceptionsOf(
  { pool }: CreditRuntime,
  bookId: BookId,
  known: readonly Known[],
): Promise<ReadonlyMap<Uuid, Uuid>> {
  const before = known.flatMap(({ arrival, credit }) =>
    arrival.amount > 0n && (credit?.status === 'unallocated' || credit?.status === 'given')
      ? [{ lineId: arrival.lineId, credit }]
      : [],
  );
  const ids = await unallocatedIds(
    pool,
    bookId,
    before.map(({ credit }) => credit),
  );
  return new Map(before.map(({ lineId, credit }) => [lineId, ids.get(credit.id)!]));
}

/** What the bank takes under the reference of a credit that an account received, and its whole amount. */
async function takeBack({ pool, committer }: CreditRuntime, credit: Credit): Promise<void> {
  if (credit.status !== 'posted' || credit.shared) return;
  const ownerBookId = credit.ownerBookId!;
  const transfer = await findInboundTransfer(pool, ownerBookId, credit.transferId!);
  if (transfer?.status !== 'received') return;
  const by = { requestId: newId(), actor: ACTOR };
  await committer.submit(ownerBookId, returnTransfer({ bookId: ownerBookId, transfer, ...by }));
}
