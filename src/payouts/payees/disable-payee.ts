/** What becomes of a payee when a rail reports that its account takes no money. */
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { DisabledReason, Payee, PinnedPayee } from './payee.ts';
import { payeeResource } from './payee-resource.ts';
import { payees } from './payee-table.ts';

/** Failures that the next payout to the same destination would meet too. */
const LASTING: readonly string[] = ['payee_account_closed', 'payee_account_invalid', 'alias_unregistered'];

export function disable(draft: Draft, payee: Payee, disabledReason: DisabledReason): Payee {
  return advance(draft, payeeResource, payee, { status: 'disabled', disabledReason }, { event: 'payee.disabled' });
}

/** The row that a payout's steps may change beside its own. */
export function payeeTouches(pinned: PinnedPayee | null): Touch[] {
  return pinned === null ? [] : [{ table: payees, ids: [pinned.id] }];
}

/**
 * Disables the payee of a payout that failed or came back for a lasting reason. A payee that has another destination by now stays
 * as it is: the word was about the one before. The command declares `payeeTouches`.
 */
export function disableAfter(
  draft: Draft,
  pinned: PinnedPayee | null,
  { failureCode, reason }: { failureCode: string; reason: DisabledReason },
): void {
  if (pinned === null || !LASTING.includes(failureCode)) return;
  const payee = draft.get(payees, pinned.id);
  if (payee?.status === 'active' && payee.destinationVersion === pinned.version) disable(draft, payee, reason);
}
