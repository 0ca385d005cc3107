import type { Uuid } from '../ids.ts';
import type { Touch } from '../ledger/command.ts';
import type { Draft } from '../ledger/draft.ts';

/** What a group knows to keep an account from being closed, such as payouts in flight. */
export interface ClosingBlocker {
  touches(accountId: Uuid): readonly Touch[];
  /** As `blocked_by` of the refusal lists it. Undefined where nothing is in the way. */
  find(draft: Draft, accountId: Uuid): Record<string, unknown> | undefined;
}
