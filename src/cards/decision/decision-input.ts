/** What a decision is made of. Plain values: whoever decides has read them under the book's lock. */
import type { WindowStarts } from '../../calendar/counting-windows.ts';
import type { FeeSchedule } from '../../fees/fee-schedule.ts';
import type { AccountStatus } from '../../ledger/account/account.ts';
import type { Instant } from '../../values/clock.ts';
import type { Card } from '../card/card.ts';
import type { CheckResult } from '../card/card-pin.ts';
import type { Controls, Scope } from '../controls/controls.ts';
import type { Counter } from '../counters/counter.ts';
import type { Program } from '../program/program.ts';
import type { PurchaseFacts } from '../purchase/purchase-facts.ts';
import type { CardToken } from '../tokens/card-token.ts';

export type ThreeDSecureResult = 'authenticated' | 'attempted' | 'failed' | 'not_performed';

export interface DecisionRequest {
  readonly message: 'authorization' | 'increment';
  readonly form: 'dual' | 'single';
  /** Of the purchase: an increment has those of its first message. */
  readonly facts: PurchaseFacts;
  /** The message's own. */
  readonly amount: bigint;
  readonly currency: string;
  /** Part of the amount. */
  readonly cashbackAmount: bigint;
  readonly partialApprovalAllowed: boolean;
  readonly cvvResult: CheckResult | null;
  readonly pinResult: CheckResult | null;
  readonly expiryResult: CheckResult | null;
  readonly threeDSecure: ThreeDSecureResult | null;
}

export interface AccountFacts {
  readonly status: AccountStatus;
  readonly currency: string;
  readonly posted: bigint;
  readonly held: bigint;
  /** The least available balance allowed: 0 without an overdraft, null for no limit. */
  readonly floor: bigint | null;
}

/** What the messages before this one have made of the purchase. */
export interface PurchaseSoFar {
  /** The rule `purchase`: decided by its messages. */
  readonly refusal: 'already_reversed' | 'authorization_closed' | null;
  /** What it uses up of limits, and what its fee is of. */
  readonly used: bigint;
  readonly firstUsedAt: Instant | null;
  /** What is held and booked for its fee. */
  readonly charged: bigint;
  /** Of the purchase with this request; pinned with it. */
  readonly fees: readonly FeeSchedule[];
}

export interface EvaluatedControls {
  readonly controls: Pick<Controls, 'content'>;
  /** Of limits with counters of their own, by their place; one that is not here has counted nothing. */
  readonly counters: ReadonlyMap<number, Counter>;
  /** Whether the purchase counts in those (../counters/usage.ts). */
  readonly countsPurchase: boolean;
}

/** Counters are those of the account's currency, as they were stored. */
export interface ScopeControls {
  readonly active: EvaluatedControls | null;
  readonly shadow: EvaluatedControls | null;
  /** Of every purchase of the scope. Null before the first one. */
  readonly counter: Counter | null;
}

export type EndpointAnswer =
  | { readonly source: 'endpoint'; readonly decision: 'approved'; readonly approvedAmount: bigint | null }
  | {
      readonly source: 'endpoint';
      readonly decision: 'declined';
      readonly declineCode: 'decision_declined' | 'suspected_fraud';
    }
  /** No answer, one in a wrong form, or one that nobody waited for. */
  | { readonly source: 'default'; readonly decision: 'approved' | 'declined' };

export interface DecisionInput {
  readonly request: DecisionRequest;
  readonly card: Card;
  /** Null for a request with the card itself. */
  readonly token: Pick<CardToken, 'status'> | null;
  readonly account: AccountFacts;
  readonly program: Pick<Program, 'currencies' | 'timeZone' | 'fuel'>;
  readonly scopes: Readonly<Record<Scope, ScopeControls>>;
  readonly purchase: PurchaseSoFar;
  /** Null where it is not asked. */
  readonly endpoint: EndpointAnswer | null;
  /** Book time. */
  readonly now: Instant;
  /** Of `now` in the program's time zone. */
  readonly windows: WindowStarts;
}

/** What limits are evaluated of. */
export interface LimitInput {
  readonly request: Pick<DecisionRequest, 'facts'>;
  readonly program: Pick<Program, 'timeZone'>;
  readonly scopes: DecisionInput['scopes'];
  readonly purchase: Pick<PurchaseSoFar, 'used' | 'firstUsedAt'>;
  readonly windows: WindowStarts;
}

/** The amount that rules are evaluated for: the whole, or a part that may be approved instead. */
export interface Asked {
  readonly amount: bigint;
  /** Part of the amount. */
  readonly cashbackAmount: bigint;
}
