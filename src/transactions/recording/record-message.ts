/**
 * Takes a message into its purchase: hold, entries, amounts and status, counters, the exception, the row of the
 * message, and events. All of it follows from the function of the messages (../purchase/take-message.ts); nothing here
 * decides.
 */
import { firstUse, type Usage } from '../../cards/counters/usage.ts';
import { programs, withTimeZoneFixed } from '../../cards/program/program-table.ts';
import type { PurchaseFacts } from '../../cards/purchase/purchase-facts.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { shownBy } from '../../ledger/resources/resource.ts';
import { hasText } from '../../ledger/rows/personal-text.ts';
import type { Uuid } from '../../values/ids.ts';
import { type WrittenJson, writeJson } from '../../values/json.ts';
import { accountFacts } from '../booking/account-step.ts';
import { toCustomer } from '../booking/book-posting.ts';
import type { Metadata } from '../decisions/endpoint-answer.ts';
import { transactionDisputeResource } from '../disputes/dispute-resource.ts';
import { transactionDisputes } from '../disputes/dispute-table.ts';
import type { Message } from '../message/message.ts';
import { type MessageChecks, type StoredMessage, transactionMessages } from '../message/message-table.ts';
import { type KeptMessage, messagesOfPurchases } from '../message/messages-store.ts';
import type { StoredDecision } from '../message/stored-decision.ts';
import { expiryDays, restartsExpiry } from '../purchase/expiry-start.ts';
import { lookalikeKey, lookalikes } from '../purchase/lookalike-store.ts';
import { inOrder } from '../purchase/message-flags.ts';
import { transactionResource } from '../purchase/purchase-resource.ts';
import { merchantLeft, type PurchaseState, type PurchaseTerms } from '../purchase/purchase-state.ts';
import { type Merchant, type StoredPurchase, transactions } from '../purchase/purchase-table.ts';
import type { Lookalike } from '../purchase/resembling.ts';
import { type MessageStep, takeMessage } from '../purchase/take-message.ts';
import { announcePurchase, requireStatus } from './announce-purchase.ts';
import { countUsage } from './count-usage.ts';
import { raiseHold, takeHold } from './move-hold.ts';
import { postMessage } from './post-message.ts';
import type { Scene } from './scene.ts';

/** What is recorded beside the message. */
export interface Recording {
  readonly id: Uuid;
  readonly message: Message;
  /** Its own. */
  readonly currency: string;
  readonly facts: PurchaseFacts;
  readonly merchant: Merchant;
  readonly terms: PurchaseTerms;
  readonly tokenId: Uuid | null;
  readonly checks: MessageChecks | null;
  readonly decision: StoredDecision | null;
  /** What the endpoint gave of metadata, if it was asked: merged into the purchase's. */
  readonly given?: { readonly metadata: Metadata; readonly salt: Buffer } | null;
  /** The rules met a category or country that no list has. */
  readonly isUnlisted: boolean;
  readonly interchange: bigint | null;
  readonly businessDate: string | null;
  readonly requestId: Uuid;
}

export interface Recorded {
  readonly purchase: StoredPurchase;
  readonly step: MessageStep;
  /** The purchase as it is shown, to answer with. */
  readonly body: WrittenJson;
  /** Of the message, and of those that waited for it. */
  readonly entryIds: readonly Uuid[];
  /** The message as it is kept. */
  readonly message: StoredMessage;
}

const DAY_MS = 86_400_000;

export function recordMessage(scene: Scene, recording: Recording): Recorded {
  const { draft, scope, purchase: before, kept } = scene;
  const { message, facts, terms } = recording;
  const { accountId, currency } = scope.card;
  const messages = kept.map((one) => one.message);
  const step = takeMessage({ messages, disputes: disputesIn(scene), terms }, message, {
    account: accountFacts(draft.account(accountId)),
    isUnlisted: recording.isUnlisted,
    ...alikeIn(scene, recording),
  });
  const entries = step.entries.map(({ postings }) => postings);
  const shownBefore = before && shownBy(draft, transactionResource, before);
  const place = before ?? { holds: 0, holdId: null };
  const outflow = -toCustomer(entries[0] ?? []);
  takeHold(draft, place, {
    less: -step.heldChange,
    captured: outflow > 0n ? outflow : 0n,
    isExpiry: message.type === 'expiry',
  });
  const ids = new Map([...kept, recording].map((one) => [one.message.reference, one.id]));
  const booked = postMessage(draft, {
    ...{ transactionId: scope.purchaseId, accountId, currency },
    ...{ entries: step.entries, events: step.events, exception: step.exception },
    idOf: (reference) => ids.get(reference)!,
  });
  const held = raiseHold(draft, place, { more: step.heldChange, accountId, transactionId: scope.purchaseId });
  changeDisputes(draft, step);
  const next = nextOf(scene, recording, step, held);
  if (before) requireStatus(before, next);
  if (recording.given) indexMetadata(draft, recording.given.metadata, { object: 'transaction', objectId: next.id });
  countUsage(scene, {
    before: { facts: before?.facts ?? facts, usage: usageOf(step.before) },
    after: { facts, usage: usageOf(step.after) },
    firstUsedAt: next.firstUsedAt,
  });
  fixTimeZone(draft);
  const stored = keep(draft, { scene, recording, flags: step.flags });
  let purchase = next;
  let body: WrittenJson | undefined;
  for (const [at, { reference, name }] of step.events.entries()) {
    const entry = booked.get(reference);
    const previous = at === 0 ? shownBefore : shownBy(draft, transactionResource, purchase);
    purchase = at === 0 ? purchase : { ...purchase, version: purchase.version + 1 };
    const event = `transaction.${name}`;
    body = announcePurchase(draft, purchase, { event, entries: entry ? [entry] : [], before: previous });
  }
  if (body === undefined) {
    purchase = draft.put(transactions, purchase.id, purchase);
    body = writeJson(shownBy(draft, transactionResource, purchase));
  }
  const entryIds = [...booked.values()].map(({ id }) => id);
  return { purchase: draft.get(transactions, purchase.id)!, step, body, entryIds, message: stored };
}

function disputesIn({ draft, scope }: Scene) {
  const all = scope.disputes.map((id) => draft.get(transactionDisputes, id)!);
  return all.toSorted((one, other) => one.ordinal - other.ordinal);
}

/** A refund may have taken back credits of disputes: they are announced with the entry of the message. */
function changeDisputes(draft: Draft, { disputes }: MessageStep): void {
  for (const { id, credited } of disputes) {
    const dispute = draft.get(transactionDisputes, id)!;
    if (dispute.credited === credited) continue;
    const changed = { ...dispute, credited, version: dispute.version + 1, updatedAt: draft.moment.book };
    draft.put(transactionDisputeResource.table, id, changed);
  }
}

/** What a clearing looks like, if nothing was authorized, and the purchases that it may belong to. */
function alikeIn({ draft, scope, card }: Scene, { message, facts }: Recording) {
  const nothing = { lookalike: null, openPurchases: [] };
  if (message.type !== 'clearing' || scope.looksFor === null) return nothing;
  const lookalike: Lookalike = {
    cardId: card.id,
    merchantId: facts.merchantId,
    amount: message.amount,
    merchant: message.merchant,
  };
  const { open = [] } = draft.get(lookalikes, lookalikeKey(card.id, scope.looksFor)) ?? {};
  return { lookalike, openPurchases: open.filter(({ transactionId }) => transactionId !== scope.purchaseId) };
}

function usageOf({ used, amounts }: PurchaseState): Usage {
  return { amount: used.amount, refunded: amounts.refunded };
}

function nextOf(
  scene: Scene,
  recording: Recording,
  step: MessageStep,
  held: { readonly holds: number; readonly holdId: Uuid | null },
): StoredPurchase {
  const { draft, purchase: before, kept } = scene;
  const { message, facts, decision } = recording;
  const { book: now, wall } = draft.moment;
  const { after } = step;
  const first = before ?? firstOf(scene, recording);
  const messages = kept.map((one) => one.message);
  const waits = after.waitingFor.length > step.before.waitingFor.length;
  const isAnew = restartsExpiry(messages, message) || (waits && first.lastsUntil <= now);
  const lastsUntil = isAnew
    ? now + expiryDays([...messages, message], facts.mcc, scene.program) * DAY_MS
    : first.lastsUntil;
  // A reversal that waits beyond that was put before people once.
  const isAwaited = after.waitingFor.length > 0 && message.type !== 'expiry' && lastsUntil > now;
  const expiresAt = after.isOpen || isAwaited ? lastsUntil : null;
  return {
    ...first,
    status: after.status,
    facts,
    // Disputes change it by commands of their own (../dispute-actions/).
    amounts: { ...after.amounts, disputed: first.amounts.disputed },
    isOpen: after.isOpen,
    merchantLeft: merchantLeft(after),
    firstUsedAt: firstUse(usageOf(after), { known: first.firstUsedAt, now }),
    messages: kept.length + 1,
    ...held,
    decision: decision ?? first.decision,
    flags: inOrder([...first.flags, ...step.flags]),
    resembles: first.resembles ?? step.resembles,
    ...withGiven(first, recording.given ?? null),
    version: before === undefined ? 1 : first.version + 1,
    lastsUntil,
    expiresAt,
    dueAt: expiresAt === null ? null : wall + (expiresAt - now),
    updatedAt: now,
  };
}

/** The endpoint's metadata beside what the purchase has; of the same key the endpoint's counts. */
function withGiven({ metadata, textSalt }: StoredPurchase, given: Recording['given'] | null) {
  if (!given || !hasText({ description: null, metadata: given.metadata })) return { metadata, textSalt };
  return { metadata: { ...metadata, ...given.metadata }, textSalt: textSalt ?? given.salt };
}

function firstOf({ draft, scope, card }: Scene, recording: Recording): StoredPurchase {
  const { facts, merchant, terms, tokenId, requestId } = recording;
  const { book: now } = draft.moment;
  return {
    id: scope.purchaseId,
    networkReference: scope.networkReference,
    begunBy: recording.id,
    lineId: card.lineId,
    cardId: card.id,
    tokenId,
    accountId: scope.card.accountId,
    currency: scope.card.currency,
    status: 'pending',
    facts,
    merchant,
    tolerancePercent: terms.tolerancePercent,
    fees: terms.fees,
    amounts: NOTHING,
    isOpen: false,
    merchantLeft: null,
    firstUsedAt: null,
    messages: 0,
    disputes: 0,
    holds: 0,
    holdId: null,
    decision: null,
    flags: [],
    resembles: null,
    metadata: {},
    textSalt: null,
    requestId,
    version: 1,
    lastsUntil: now,
    expiresAt: null,
    dueAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

const NOTHING: StoredPurchase['amounts'] = {
  authorized: 0n,
  reversed: 0n,
  held: 0n,
  feeHeld: 0n,
  cleared: 0n,
  refunded: 0n,
  disputed: 0n,
  fee: 0n,
  fxDifference: 0n,
};

/** Windows are of the time zone that the program had with its first transaction. */
function fixTimeZone(draft: Draft): void {
  const { book, moment } = draft;
  const own = draft.get(programs, book.id);
  const fixed = withTimeZoneFixed(own, book, moment.book);
  if (fixed !== own) draft.put(programs, book.id, fixed);
}

function keep(
  draft: Draft,
  { scene, recording, flags }: { scene: Scene; recording: Recording; flags: readonly string[] },
): StoredMessage {
  const { scope, kept, card } = scene;
  const { id, message } = recording;
  const stored: StoredMessage = {
    ...{ id, transactionId: scope.purchaseId, ordinal: kept.length + 1, cardId: card.id, tokenId: recording.tokenId },
    eventSequence: draft.book.eventSequence + 1n,
    ...{ currency: recording.currency, message, checks: recording.checks, decision: recording.decision, flags },
    ...{ interchange: recording.interchange, businessDate: recording.businessDate, requestId: recording.requestId },
    createdAt: draft.moment.book,
  };
  draft.append(transactionMessages, stored);
  const messages: readonly KeptMessage[] = [...kept, { id, eventSequence: stored.eventSequence, message }];
  draft.put(messagesOfPurchases, scope.purchaseId, { transactionId: scope.purchaseId, messages });
  return stored;
}
