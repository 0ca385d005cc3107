/** The payee that a payout has pinned, as it is by now. The command declares `payeeTouches`. */
import type { Draft } from '../../ledger/command/draft.ts';
import type { PinnedPayee } from './payee.ts';
import { payees } from './payee-table.ts';

/** Whether it has another destination than the one that was pinned. */
export function hasNewerDestination(draft: Draft, pinned: PinnedPayee): boolean {
  return draft.get(payees, pinned.id)!.destinationVersion !== pinned.version;
}

/** A payee that is disabled is paid by nothing, whatever was made for it before. */
export function isDisabled(draft: Draft, pinned: PinnedPayee): boolean {
  return draft.get(payees, pinned.id)!.status === 'disabled';
}

/** A payout to this destination was approved: it is new no longer. Nothing that is shown of the payee changes. */
export function rememberApproved(draft: Draft, pinned: PinnedPayee | null): void {
  if (pinned === null) return;
  const payee = draft.get(payees, pinned.id)!;
  draft.put(payees, payee.id, { ...payee, approvedVersion: pinned.version });
}
