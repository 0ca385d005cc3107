/**
 * Ends a payout that its rail leaves unknown, by the decision and evidence of a person. A later report of the rail is
 * compared with it as with any other outcome (apply-rail-report.ts).
 */

import { exceptions } from '../../exceptions/exception-table.ts';
import { resolveByOperator } from '../../exceptions/handle-exception.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Answered, Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { Payout } from '../payout/payout.ts';
import { markFailed, markPaid } from '../payout/payout-steps.ts';
import { payouts } from '../payout/payout-table.ts';
import { payoutTouches } from '../payout/payout-touches.ts';
import { type PayoutResolution, payoutResolutions } from './resolution-store.ts';

export interface ResolvePayout extends Omit<PayoutResolution, 'payoutId' | 'createdAt'> {
  /** Open exceptions of the payout: what is booked now ends them. */
  readonly exceptionIds: readonly Uuid[];
}

export interface Resolved extends Answered {
  readonly payout: Payout;
  /** It had been resolved like this before. */
  readonly repeated: boolean;
}

/** Refused unless the payout is `processing` with an unknown outcome. Repeated with the same outcome it changes nothing. */
export function resolvePayout(bookId: BookId, payout: Payout, input: ResolvePayout): Command<Resolved | Refusal> {
  const id = newId();
  const requestId = newId();
  const { exceptionIds, ...resolution } = input;
  return {
    id,
    name: 'payout.resolve',
    requestId,
    actor: input.actor,
    touches: [
      ...payoutTouches(bookId, payout),
      { table: payoutResolutions, ids: [payout.id] },
      { table: exceptions, ids: exceptionIds },
    ],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId, actor: input.actor }, moment);
      const current = draft.get(payouts, payout.id);
      if (!current) throw new Error(`Payout ${payout.id} does not exist`);
      const before = draft.get(payoutResolutions, payout.id);
      if (before?.outcome === input.outcome) return draft.finish<Resolved>({ payout: current, repeated: true });
      if (current.status !== 'processing' || current.outcome !== 'unknown') {
        const outcome = current.status === 'processing' ? ' and its outcome is not unknown' : '';
        return draft.finish<Refusal>({
          refused: 'state_conflict',
          detail: `The payout is ${current.status}${outcome}${before ? `; ${before.actor} resolved it as ${before.outcome}` : ''}.`,
        });
      }
      draft.put(payoutResolutions, payout.id, { ...resolution, payoutId: payout.id, createdAt: moment.book });
      const resolved =
        input.outcome === 'paid'
          ? markPaid(draft, current, {})
          : markFailed(draft, current, { failureCode: 'payee_bank_unavailable' });
      const { actor, evidenceSha256 } = input;
      const entryIds = resolved.entryIds.slice(current.entryIds.length);
      for (const exceptionId of exceptionIds) {
        const exception = draft.get(exceptions, exceptionId);
        if (exception) resolveByOperator(draft, exception, { actor, entryIds, evidenceSha256 });
      }
      return draft.finish<Resolved>({ payout: resolved, repeated: false });
    },
  };
}
