/** What the messages of a purchase, taken one after another, book and announce. */
import type { Instant } from '../../../values/clock.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { AccountFacts } from '../../booking/account-step.ts';
import type { KeptMessage } from '../../message/messages-store.ts';
import { inOrder, type TransactionFlag } from '../message-flags.ts';
import type { PurchaseTerms } from '../purchase-state.ts';
import { takeMessage } from '../take-message.ts';

/** What else the row of a message has. */
export interface MessageFactsKept {
  readonly id: Uuid;
  readonly eventSequence: bigint;
  readonly flags: readonly TransactionFlag[];
  readonly createdAt: Instant;
}

export interface ReplayedMessage {
  readonly id: Uuid;
  /** The steps of its entries: one, or none where nothing is posted. */
  readonly steps: readonly string[];
  /** Without those that follow from the account, or from the lists of the rules, as they were then. */
  readonly flags: readonly TransactionFlag[];
}

export interface Replay {
  readonly messages: readonly ReplayedMessage[];
  /** Name and sequence of each event, in order. */
  readonly events: readonly string[];
  readonly firstUsedAt: Instant | null;
}

/** Nothing is known of the account at the time of a message: what is posted does not depend on it. */
const ANY_ACCOUNT: AccountFacts = { status: 'open', posted: 0n, held: 0n, floor: null };
const ANY_FACTS = { account: ANY_ACCOUNT, isUnlisted: false, lookalike: null, openPurchases: [] };

/** Flags of what the account and the lists were like then: no other row has them. */
const MOMENTARY: readonly TransactionFlag[] = ['below_floor', 'account_frozen', 'account_closed', 'unlisted'];

export function withoutMomentary(flags: readonly TransactionFlag[]): TransactionFlag[] {
  return inOrder(flags.filter((flag) => !MOMENTARY.includes(flag)));
}

/** `kept`: of each message, in their order. Disputes change what a refund books, and not that it books. */
export function replay(
  all: readonly KeptMessage[],
  { kept, terms }: { kept: ReadonlyMap<Uuid, MessageFactsKept>; terms: PurchaseTerms },
): Replay {
  const steps = new Map<Uuid, string[]>(all.map(({ id }) => [id, []]));
  const idOf = new Map(all.map(({ id, message }) => [message.reference, id]));
  const messages: { id: Uuid; flags: readonly TransactionFlag[] }[] = [];
  const events: string[] = [];
  let firstUsedAt: Instant | null = null;
  for (const [at, { id, message }] of all.entries()) {
    const before = { messages: all.slice(0, at).map((one) => one.message), disputes: [], terms };
    const step = takeMessage(before, message, ANY_FACTS);
    const { eventSequence, createdAt } = kept.get(id)!;
    for (const [place, { name }] of step.events.entries())
      events.push(`transaction.${name} ${eventSequence + BigInt(place)}`);
    for (const { reference } of step.entries)
      steps.get(idOf.get(reference)!)!.push(step.events.find((event) => event.reference === reference)!.name);
    if (step.after.used.amount > 0n) firstUsedAt ??= createdAt;
    messages.push({ id, flags: withoutMomentary(step.flags) });
  }
  return { messages: messages.map(({ id, flags }) => ({ id, flags, steps: steps.get(id)! })), events, firstUsedAt };
}
