/**
 * What a step does to the account of a purchase. Nothing stops what the network has decided: an account that is frozen, closed or empty is
 * debited all the same, and the step is flagged.
 */
import { type Account, held, posted } from '../../ledger/account/account.ts';

export interface AccountFacts {
  readonly status: 'open' | 'frozen' | 'closed';
  readonly posted: bigint;
  readonly held: bigint;
  /** The least that may be available; null for no limit. */
  readonly floor: bigint | null;
}

export function accountFacts(account: Account): AccountFacts {
  return { status: account.status, posted: posted(account), held: held(account), floor: account.floor };
}

export interface AccountStep {
  readonly before: AccountFacts;
  readonly posted: bigint;
  readonly held: bigint;
  readonly isPosted: boolean;
}

export type AccountFlag = 'below_floor' | 'account_frozen' | 'account_closed';

export function accountStep(
  before: AccountFacts,
  { posted, held, isPosted }: { posted: bigint; held: bigint; isPosted: boolean },
): AccountStep {
  return { before, posted: before.posted + posted, held: before.held + held, isPosted };
}

/**
 * `below_floor` stands on the step that left less available than the floor allows, if it took something: money that comes to an account
 * below its floor, and a hold that is released, are not flagged.
 */
export function accountFlags(step: AccountStep): AccountFlag[] {
  const { before, posted, held, isPosted } = step;
  const flags: AccountFlag[] = [];
  const takes = posted < before.posted || held > before.held;
  if (takes && before.floor !== null && posted - held < before.floor) flags.push('below_floor');
  if (before.status !== 'open' && (isPosted || held > before.held))
    flags.push(before.status === 'frozen' ? 'account_frozen' : 'account_closed');
  return flags;
}

/** What may be moved away from an account that is closed and was credited. */
export function movable({ posted, held }: AccountStep): bigint {
  return posted > held ? posted - held : 0n;
}
