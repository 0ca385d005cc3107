/**
 * Returns that a bank's statement has shown and two persons have approved, before the rail reported them. What the rail reports of the same amount
 * afterwards is the evidence of such a return, and no second one. A payout that comes back in parts may have several of one amount.
 */
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { evidence, keepEvidence } from '../../outside/evidence/evidence.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import type { Payout } from '../payout/payout.ts';

interface Part {
  readonly id: Uuid;
  readonly amount: bigint;
}

/** Of one payout and amount. Beyond it a person sees that the rail reports more than came back. */
const SHOWN_MAX = 3;

function marksOf(
  { id }: Pick<Payout, 'id'>,
  amount: bigint,
): readonly { readonly shown: Uuid; readonly reported: Uuid }[] {
  return Array.from({ length: SHOWN_MAX }, (_, nth) => ({
    shown: deriveId('return shown at bank', id, String(amount), String(nth)),
    reported: deriveId('return shown at bank, reported', id, String(amount), String(nth)),
  }));
}

export function shownTouches(payout: Payout, amount: bigint): Touch {
  return { table: evidence, ids: marksOf(payout, amount).flatMap(({ shown, reported }) => [shown, reported]) };
}

/** A return is booked by what the bank shows: the rail is awaited. */
export function awaitReport(draft: Draft, payout: Payout, part: Part): void {
  const free = marksOf(payout, part.amount).find(({ shown }) => draft.get(evidence, shown) === undefined);
  if (free !== undefined) keep(draft, payout, { id: free.shown, answer: { shown_by: part.id } });
}

/** Whether the report is about a return that the bank has shown. It is its evidence then. */
export function reportsShown(draft: Draft, payout: Payout, part: Part): boolean {
  const waiting = marksOf(payout, part.amount).find(
    ({ shown, reported }) => draft.get(evidence, shown) !== undefined && draft.get(evidence, reported) === undefined,
  );
  return waiting !== undefined && keep(draft, payout, { id: waiting.reported, answer: { reported_by: part.id } });
}

function keep(draft: Draft, { id }: Payout, mark: { readonly id: Uuid; readonly answer: unknown }): boolean {
  return keepEvidence(draft, { ...mark, resource: 'payout', resourceId: id, call: 'notice' });
}
