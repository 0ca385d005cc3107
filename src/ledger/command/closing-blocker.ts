import type { Uuid } from '../../values/ids.ts';
import type { Draft } from './draft.ts';
import type { Touch } from './outcome.ts';

/** Something of a group that prevents an account from being closed, such as payouts in flight. */
export interface ClosingBlocker<Type extends string = string> {
  /** Of its items. Each has a line in the reference: api/schemas/closing-block-schema.ts. */
  readonly types: readonly Type[];
  touches(accountId: Uuid): readonly Touch[];
  /** The item for `blocked_by` in the refusal. Undefined if nothing blocks closing. */
  find(draft: Draft, accountId: Uuid): ClosingBlock<Type> | undefined;
}

export interface ClosingBlock<Type extends string = string> {
  readonly type: Type;
  readonly [fact: string]: unknown;
}
