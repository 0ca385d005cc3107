/**
 * Takes a message of a processor: one command, one commit. Requests are decided by the rules of the card first; everything else is recorded
 * as the network has decided it. The reference of the message is the key of the command, so a repeat gets the first answer.
 */
import { asksEndpoint, decide } from '../../cards/decision/decide.ts';
import type { DecisionInput } from '../../cards/decision/decision-input.ts';
import { programs } from '../../cards/program/program-table.ts';
import { tolerancePercentOf } from '../../cards/program/program-terms.ts';
import { isDebit, kindOf, type PurchaseFacts, type PurchaseKind } from '../../cards/purchase/purchase-facts.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { idempotencyKeys } from '../../idempotency/idempotency-table.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { previewOf } from '../../idempotency/stored-view.ts';
import type { UseCase } from '../../idempotency/use-case.ts';
import type { Command, Outcome, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { BookState } from '../../ledger/command/state.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { stateConflict } from '../../ledger/resources/change-of.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { accountFacts } from '../booking/account-step.ts';
import {
  type ConsultingRuntime,
  consultEndpoint,
  type Inquiry,
  NO_ENDPOINT,
  NOT_ASKED,
  questionOf,
} from '../decisions/ask-endpoint.ts';
import { answerInForce, type Consulted, type ReadAnswer } from '../decisions/endpoint-answer.ts';
import { isUndecided, type Message, type Request } from '../message/message.ts';
import { messageView } from '../message/message-view.ts';
import { MESSAGES_MAX } from '../message/messages-store.ts';
import { decisionOfNetwork, decisionOfRules, type StoredDecision } from '../message/stored-decision.ts';
import { decideRequest } from '../purchase/decide-request.ts';
import { factsOf, messageKind } from '../purchase/message-kind.ts';
import { purchaseSchedules } from '../purchase/purchase-fee.ts';
import { transactionResource } from '../purchase/purchase-resource.ts';
import { purchaseRule } from '../purchase/purchase-rule.ts';
import { type PurchaseTerms, stateOf } from '../purchase/purchase-state.ts';
import type { Merchant } from '../purchase/purchase-table.ts';
import { changeCard } from './change-card.ts';
import { expireFirst } from './expire-first.ts';
import { requireRead, touchesOf } from './purchase-scope.ts';
import { type ReadScope, readMessageScope } from './read-scope.ts';
import type { ReceivedMessage } from './received-message.ts';
import { type Recorded, recordMessage } from './record-message.ts';
import { type Scene, sceneIn } from './scene.ts';

/**
 * Of one request: what was read before is read anew where it was overtaken, and an endpoint that has answered is not asked again. A dry run
 * under a reference that is taken is answered as the message would be: by the first answer, or a refusal.
 */
export function takingMessage({
  readAnswer,
  dryRun = false,
  onDecided,
}: {
  readonly readAnswer: ReadAnswer;
  readonly dryRun?: boolean;
  /** Called once the decision is committed; never for a repeat. */
  readonly onDecided?: OnDecided;
}): UseCase<OnceRuntime & ConsultingRuntime, ReceivedMessage> {
  let readings = 0;
  let consulted: Consulted | null = null;
  return {
    ...(dryRun && { keyFirst: true }),
    async prepare(runtime, received) {
      readings += 1;
      const isAnew = readings > 1;
      const read = await readMessageScope(runtime.pool, received, { anew: isAnew });
      const inquiry = () => inquire(received, read);
      if (isRequestType(received))
        consulted = await consultEndpoint(runtime, received, { isAnew, before: consulted, inquiry, readAnswer });
      let decided: StoredDecision | null = null;
      const keep = (decision: StoredDecision | null) => {
        decided = decision;
      };
      return {
        command: receiveMessage(received, read, { consulted, keep }),
        follow: async () => {
          if (decided !== null) onDecided?.(decided);
        },
      };
    },
  };
}

/** `keep` gets what the last attempt has decided of the message; null where nothing was asked for or advised. */
export function receiveMessage(
  received: ReceivedMessage,
  read: ReadScope,
  { consulted, keep }: { consulted: Consulted | null; keep: (decision: StoredDecision | null) => void },
): Command<Stored | Refusal> {
  const taken = { received, read, ids: newIds(), consulted, isInquiry: false, salt: consulted && newSalt() };
  return {
    ...commandOf(taken),
    touches: touchesOf(read.scope),
    decide(state, moment) {
      const { outcome, decision } = decideReceived(state, moment, taken);
      keep(decision);
      return outcome;
    },
  };
}

/** What decided: rules, endpoint, its default or the network, and how. */
export type OnDecided = (decision: Pick<StoredDecision, 'source' | 'decision'>) => void;

/** Finds the question for the endpoint, if it is to be asked. Only previewed, and never committed. */
function inquire(received: ReceivedMessage, read: ReadScope): Command<Inquiry> {
  const { idempotencyKey, callerKey = null, dryRun = false } = received;
  const taken = { received, read, ids: newIds(), consulted: null, isInquiry: true, salt: null };
  const keys = dryRun ? [] : [idempotencyKey, callerKey].filter((key) => key !== null);
  return {
    ...commandOf(taken),
    touches: [...touchesOf(read.scope), { table: idempotencyKeys, ids: keys }],
    decide: (state, moment) => inquireIn(state, moment, { taken, keys }),
  };
}

interface Taken extends MessageTaking {
  readonly ids: { readonly command: Uuid; readonly message: Uuid };
}

/** A message, in a draft of whichever command. */
interface MessageTaking {
  readonly received: ReceivedMessage;
  readonly read: ReadScope;
  readonly ids: { readonly message: Uuid };
  readonly consulted: Consulted | null;
  /** By our rules alone: the endpoint is yet to be asked. */
  readonly isInquiry: boolean;
  /** For metadata that the endpoint has given. */
  readonly salt: Buffer | null;
}

function newIds(): Taken['ids'] {
  return { command: newId(), message: newId() };
}

function commandOf({ received: { type, requestId, actor }, ids }: Taken) {
  return { id: ids.command, name: `transaction.${type}`, requestId, actor };
}

function inquireIn(
  state: BookState,
  moment: Moment,
  { taken, keys }: { taken: Taken; keys: readonly string[] },
): Outcome<Inquiry> {
  const only = (answer: Inquiry) => new Draft(state, commandOf(taken), moment).finish(answer);
  // A repeat: it gets the first answer.
  if (keys.some((key) => state.get(idempotencyKeys, key) !== undefined)) return only(NOT_ASKED);
  const draft = new Draft(state, commandOf(taken), moment);
  const scene = sceneOf(draft, taken);
  if (scene.program.decision === null) return only(NO_ENDPOINT);
  if (refuseReceived(scene, taken.received)) return only(NOT_ASKED);
  const { purchase, message, asksEndpoint: isAsked } = applyMessage(scene, taken);
  if (!isAsked) return only(NOT_ASKED);
  const { livemode, wall } = draft;
  // The transaction as it would be, and the message as /events would list it, without entries.
  const body = {
    ...(transactionResource.view(purchase, draft) as object),
    message: messageView({ ...message, entryIds: [] }, livemode),
    ...(taken.received.dryRun && { dry_run: true }),
  };
  const own = draft.get(programs, state.book.id)!;
  return only({ hasEndpoint: true, question: questionOf(own, { body: writeJson(body).text, livemode, wall }) });
}

/** An expiry that is due comes first, unless the message is refused. */
function sceneOf(draft: Draft, { received, read }: MessageTaking): Scene {
  const found = sceneIn(draft, read.scope, read.tokenId);
  const scene = refuseReceived(found, received) === undefined ? expireFirst(found) : found;
  if (scene.purchase) requireRead(read.scope, scene.purchase, { needsDisputes: true });
  // Nothing else looks for the reference under the lock: a dry run has no key there.
  if (received.dryRun && scene.kept.some(({ message }) => message.reference === received.messageReference))
    throw new StaleRead('The message was taken meanwhile. Send the request again.');
  return scene;
}

interface Decided {
  readonly outcome: Outcome<Stored | Refusal>;
  readonly decision: StoredDecision | null;
}

function decideReceived(state: BookState, moment: Moment, taken: Taken): Decided {
  const { received } = taken;
  const draft = new Draft(state, commandOf(taken), moment);
  /** The answer alone: nothing of this draft is kept. */
  const only = (answer: Stored | Refusal) => ({
    outcome: new Draft(state, commandOf(taken), moment).finish(answer),
    decision: null,
  });

  const scene = sceneOf(draft, taken);
  const refusal = refuseReceived(scene, received);
  if (refusal) return only(refusal);
  const recorded = applyMessage(scene, taken);
  if (received.dryRun) return only(previewOf(draft, transactionResource, recorded.purchase));
  const { body, purchase, message } = recorded;
  const outcome = draft.finish<Stored>({ status: 200, body, resource: 'transaction', resourceId: purchase.id });
  return { outcome, decision: message.decision };
}

/** A message that asks for no decision. */
export interface RecordReceived {
  readonly received: ReceivedMessage;
  readonly read: ReadScope;
  readonly messageId: Uuid;
}

/**
 * Records the message in its purchase, in the draft of another command. A refusal records nothing but an expiry that
 * was due. Throws StaleRead where a row has changed since it was read, and ApiError where the first message of a
 * purchase names no merchant.
 */
export function recordReceived(draft: Draft, { received, read, messageId }: RecordReceived): Recorded | Refusal {
  const taken = { received, read, ids: { message: messageId }, consulted: null, isInquiry: false, salt: null };
  const scene = sceneOf(draft, taken);
  return refuseReceived(scene, received) ?? applyMessage(scene, taken);
}

/** What is certain before anything is decided. Nothing of it takes the reference of the message. */
function refuseReceived({ scope, purchase, kept, draft }: Scene, received: ReceivedMessage): Refusal | undefined {
  if (purchase !== undefined && purchase.lineId !== scope.card.line.lineId)
    return {
      refused: 'state_conflict',
      param: '/network_reference',
      detail: `This network_reference names ${publicId('transaction', purchase.id)}, which is of another card.`,
      facts: { current_status: purchase.status },
    };
  if (kept.length >= MESSAGES_MAX)
    return {
      refused: 'limit_exceeded',
      detail: `A transaction has at most ${MESSAGES_MAX} messages.`,
      facts: { limit: BigInt(MESSAGES_MAX) },
    };
  const { currency } = scope.card;
  if (!isRequestType(received) && received.currency !== null && received.currency !== currency)
    return {
      refused: 'currency_mismatch',
      param: '/currency',
      detail: `The account of the card is kept in ${currency}.`,
      facts: { account_currency: currency },
    };
  if (received.type === 'expiry' && !purchase?.isOpen)
    return stateConflict(draft, transactionResource, purchase!, 'expire');
  return undefined;
}

function isRequestType({ type }: Pick<ReceivedMessage, 'type'>): boolean {
  return type === 'authorization' || type === 'increment';
}

function applyMessage(scene: Scene, taken: MessageTaking) {
  const { scope, purchase } = scene;
  const { received, ids, salt } = taken;
  const { facts: known, merchant } = purchase ?? firstFacts(received);
  const kind = messageKind(received, { facts: known, messages: scene.kept.map(({ message }) => message) });
  const facts = factsOf({ kind, entryMode: received.merchant?.entryMode ?? null }, known);
  const incoming = received.incoming(kind ?? facts.kind);
  const terms = termsOf(scene, facts);
  const request = isUndecided(incoming) ? decideIn(scene, taken, { incoming, facts, terms }) : null;
  const message: Message = request?.message ?? (incoming as Message);
  const recorded = recordMessage(scene, {
    ...{ id: ids.message, message, currency: received.currency ?? scope.card.currency, facts, merchant, terms },
    tokenId: purchase ? purchase.tokenId : taken.read.tokenId,
    checks: received.checks,
    decision: request?.decision ?? (message.type === 'advice' ? decisionOfNetwork(message) : null),
    isUnlisted: request?.isUnlisted ?? false,
    given: request && salt && { metadata: request.metadata, salt },
    interchange: received.interchange ?? null,
    businessDate: received.businessDate ?? null,
    requestId: received.requestId,
  });
  if (request !== null || message.type === 'advice')
    changeCard(scene, {
      pinResult: request === null ? null : (received.checks?.pinResult ?? null),
      approved: approvedAmount(message),
      facts: { ...facts, kind: kind ?? facts.kind },
      requestId: received.requestId,
    });
  return { ...recorded, asksEndpoint: request?.asksEndpoint ?? false };
}

function approvedAmount(message: Message): bigint | null {
  if (message.type === 'advice') return message.isApproved ? message.amount : null;
  if (message.type !== 'authorization' && message.type !== 'increment') return null;
  return message.decision.isApproved ? message.decision.amount : null;
}

/** Throws ApiError where the first message names no merchant. */
function firstFacts(received: ReceivedMessage): { facts: PurchaseFacts; merchant: Merchant } {
  if (received.merchant === null)
    throw new ApiError('parameter_missing', {
      param: '/merchant',
      detail: 'The first message of a network_reference says who the `merchant` is.',
    });
  const { merchantId, acquirerId, mcc, country, entryMode, name, city, postalCode, terminal } = received.merchant;
  const kind = received.kind ?? (isOfRefund(received) ? 'refund' : kindOf({ kind: null, mcc }));
  return {
    facts: { kind, mcc, country, merchantId, acquirerId, entryMode },
    merchant: { name, city, postalCode, terminal },
  };
}

function isOfRefund({ type }: ReceivedMessage): boolean {
  return type === 'refund' || type === 'refund_reversal';
}

/** Pinned by the first message. */
function termsOf({ purchase, program, scope }: Scene, { mcc }: PurchaseFacts): PurchaseTerms {
  const { currency } = scope.card;
  if (purchase !== undefined)
    return { currency, mcc: purchase.facts.mcc, tolerancePercent: purchase.tolerancePercent, fees: purchase.fees };
  return { currency, mcc, tolerancePercent: tolerancePercentOf(program, mcc), fees: program.fees };
}

interface ToDecide {
  readonly incoming: Request;
  readonly facts: PurchaseFacts;
  readonly terms: PurchaseTerms;
}

function decideIn(
  scene: Scene,
  { received, consulted, isInquiry }: MessageTaking,
  { incoming, facts, terms }: ToDecide,
) {
  const { draft, scope, purchase, kept, card, token, program, windows, controls } = scene;
  const messages = kept.map(({ message }) => message);
  const state = stateOf({ messages, disputes: [], terms });
  const account = accountFacts(draft.account(scope.card.accountId));
  const { currency } = scope.card;
  const now = draft.moment.book;
  const { checks } = received;
  const input: DecisionInput = {
    request: {
      ...{ message: incoming.type, form: incoming.form, facts: { ...facts, kind: decidedKind(incoming.kind, facts) } },
      ...{ amount: incoming.amount, currency: received.currency ?? currency, cashbackAmount: incoming.cashback },
      partialApprovalAllowed: incoming.isPartialAllowed,
      ...{ cvvResult: checks?.cvvResult ?? null, pinResult: checks?.pinResult ?? null },
      ...{ expiryResult: checks?.expiryResult ?? null, threeDSecure: checks?.threeDSecure?.result ?? null },
    },
    ...{ card, token, account: { ...account, currency }, program, scopes: controls, endpoint: null, now, windows },
    purchase: {
      refusal: purchaseRule(state, incoming),
      used: state.used.amount,
      charged: state.amounts.fee + state.amounts.feeHeld,
      firstUsedAt: purchase?.firstUsedAt ?? null,
      fees: purchaseSchedules([...messages, incoming], terms),
    },
  };
  const { decision: endpoint } = program;
  const answered = endpoint && consulted && answerInForce(consulted, endpoint, purchase?.metadata ?? {});
  const decision = decide({ ...input, endpoint: answered?.answer ?? null });
  const isAsked = endpoint !== null && answered === null && asksEndpoint(input, decision);
  if (isAsked && !isInquiry) throw new StaleRead('The decision endpoint is to be asked first. Send the message again.');
  const { posted, held } = account;
  const balance = incoming.kind === 'balance_inquiry' ? { posted, available: posted - held } : null;
  const stored: StoredDecision = decisionOfRules(decision, decision.decision === 'approved' ? balance : null);
  return {
    message: decideRequest(incoming, decision),
    decision: stored,
    isUnlisted: decision.flags.includes('unlisted'),
    metadata: answered?.metadata ?? {},
    asksEndpoint: isAsked,
  };
}

/**
 * Rules of a debit go by the purchase: an increment of cash is cash. The request decides whether it is a debit at all.
 */
export function decidedKind(kind: PurchaseKind, facts: PurchaseFacts): PurchaseKind {
  return isDebit(kind) && isDebit(facts.kind) ? facts.kind : kind;
}
