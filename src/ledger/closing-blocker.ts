import type { Uuid } from '../ids.ts';
import type { Draft } from './draft.ts';
import type { Touch } from './outcome.ts';

/** Something of a group that prevents an account from being closed, such as payouts in flight. */
export interface ClosingBlocker {
  touches(accountId: Uuid): readonly Touch[];
  /** The item for `blocked_by` in the refusal. Undefined if nothing blocks closing. */
  find(draft: Draft, accountId: Uuid): Record<string, unknown> | undefined;
}
