import type { Stored } from '../idempotency/idempotency-key.ts';
import { newId, type Uuid } from '../ids.ts';
import { writeJson } from '../json.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command, Refusal } from '../ledger/command.ts';
import { Draft } from '../ledger/draft.ts';
import { allowedActions, changed, type Payout } from './payout.ts';
import { payouts } from './payout-table.ts';
import { payoutTouches } from './payout-touches.ts';
import { payoutView } from './payout-view.ts';

export interface CancelPayout {
  /** Refused with `version_mismatch` when the payout has another version by then. */
  ifMatch?: number;
  requestId: Uuid;
  actor: string;
}

/** pending → canceled: gives back what is held. Once on its way, a payout is not called back. */
export function cancelPayout(bookId: BookId, payout: Payout, input: CancelPayout): Command<Stored | Refusal> {
  const id = newId();
  return {
    id,
    name: 'payout.cancel',
    requestId: input.requestId,
    actor: input.actor,
    touches: payoutTouches(bookId, payout),
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId: input.requestId, actor: input.actor }, moment);
      const current = draft.get(payouts, payout.id);
      if (!current) throw new Error(`Payout ${payout.id} does not exist`);
      if (input.ifMatch !== undefined && input.ifMatch !== current.version) {
        return draft.finish<Refusal>({
          refused: 'version_mismatch',
          detail: `The payout is at version ${current.version}.`,
          facts: { version: current.version },
        });
      }
      if (current.status !== 'pending') {
        return draft.finish<Refusal>({
          refused: 'state_conflict',
          detail: `The payout is ${current.status}; only a pending payout can be canceled.`,
          facts: { current_status: current.status, allowed_actions: allowedActions(current) },
        });
      }
      draft.takeFromHold(current.holdId, 'released');
      const canceled = changed(current, { status: 'canceled', dueAt: null }, moment);
      draft.put(payouts, canceled.id, canceled);
      const view = payoutView(canceled, draft.livemode);
      draft.emit({
        type: 'payout.canceled',
        objectId: canceled.id,
        objectSequence: canceled.version,
        object: view,
        previousAttributes: { status: current.status },
      });
      return draft.finish<Stored>({ status: 200, body: writeJson(view), resource: 'payout', resourceId: canceled.id });
    },
  };
}
