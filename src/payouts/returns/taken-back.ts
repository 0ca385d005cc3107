/**
 * A payout that its rail rejected after it had paid it. The rejection books the return; the credits that follow are its evidence, so that one
 * return is booked once, whichever of the two comes first.
 */
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { evidence, keepEvidence } from '../../outside/evidence/evidence.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import type { Payout } from '../payout/payout.ts';
import { payoutReturns } from './payout-return-table.ts';

/** The return that a rejection books: at most one a payout, since nothing is left outside after it. */
export const takenBackId = ({ id }: Pick<Payout, 'id'>): Uuid => deriveId('taken back', id);

/** Beyond it a person sees that more credits came. */
const CREDITS_MAX = 5;

/** Each is kept once a credit is evidence of the return, in their order. */
const creditedIds = ({ id }: Pick<Payout, 'id'>): readonly Uuid[] =>
  Array.from({ length: CREDITS_MAX }, (_, nth) =>
    deriveId('taken back, credited', id, ...(nth === 0 ? [] : [String(nth)])),
  );

export function takenBackTouches(payout: Payout): Touch[] {
  return [
    { table: payoutReturns, ids: [takenBackId(payout)] },
    { table: evidence, ids: creditedIds(payout) },
  ];
}

/**
 * Keeps the notice as evidence of the return that waits for its credit, and answers with how much of it is still to come. Undefined where it is
 * another credit. Less than is awaited is evidence only where the rail credits whole, short of charges or in parts: else a part leaves the
 * rest open, which somebody has to see.
 */
export function creditTakenBack(
  draft: Draft,
  payout: Payout,
  notice: { readonly id: Uuid; readonly amount: bigint; readonly isWhole?: boolean },
): { readonly missing: bigint } | undefined {
  const takenBack = draft.get(payoutReturns, takenBackId(payout));
  if (takenBack === undefined) return undefined;
  let awaited = takenBack.amount;
  for (const id of creditedIds(payout)) {
    const known = draft.get(evidence, id);
    if (known !== undefined) {
      awaited -= creditedBy(known.answer) ?? awaited;
      continue;
    }
    const missing = awaited - notice.amount;
    if (missing < 0n || (missing > 0n && !notice.isWhole)) return undefined;
    const credited = { id, resource: 'payout', resourceId: payout.id, call: 'notice' } as const;
    keepEvidence(draft, { ...credited, answer: { credited_by: notice.id, amount: String(notice.amount) } });
    return { missing };
  }
  return undefined;
}

/** Undefined in rows of earlier versions, which awaited one credit alone. */
function creditedBy(answer: unknown): bigint | undefined {
  const { amount } = answer as { readonly amount?: string };
  return amount === undefined ? undefined : BigInt(amount);
}
