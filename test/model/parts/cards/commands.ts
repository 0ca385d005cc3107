/** Messages of a processor as commands of the product, and what they read beforehand: from the book in memory. */
import { cards, type StoredCard } from '../../../../src/cards/card/card-table.ts';
import { controlsInForce } from '../../../../src/cards/controls/controls-table.ts';
import type { LineRead } from '../../../../src/cards/lines/line-store.ts';
import type { CardOperation } from '../../../../src/cards/operations/card-operation.ts';
import { cardOperations } from '../../../../src/cards/operations/card-operation-table.ts';
import { applyProcessorReport } from '../../../../src/cards/outcomes/apply-processor-report.ts';
import { DEFAULT_EXPIRY_DAYS, NO_FEES } from '../../../../src/cards/program/program.ts';
import { type UpdateProgram, updateProgram } from '../../../../src/cards/program/update-program.ts';
import type { PurchaseKind } from '../../../../src/cards/purchase/purchase-facts.ts';
import type { Stored } from '../../../../src/idempotency/idempotency-key.ts';
import type { Command, Refusal } from '../../../../src/ledger/command/command.ts';
import { transactionDisputes } from '../../../../src/transactions/disputes/dispute-table.ts';
import type { Incoming } from '../../../../src/transactions/message/message.ts';
import { purchaseId } from '../../../../src/transactions/purchase/purchase-id.ts';
import { transactions } from '../../../../src/transactions/purchase/purchase-table.ts';
import { counterIdsOf } from '../../../../src/transactions/recording/card-scopes.ts';
import type { PurchaseScope } from '../../../../src/transactions/recording/purchase-scope.ts';
import { looksFor } from '../../../../src/transactions/recording/read-scope.ts';
import { receiveMessage } from '../../../../src/transactions/recording/receive-message.ts';
import type { ReceivedMerchant, ReceivedMessage } from '../../../../src/transactions/recording/received-message.ts';
import { newId, type Uuid } from '../../../../src/values/ids.ts';
import { BY, type RealBook } from '../../part.ts';
import type { Merchant } from './purchase-steps.ts';
import type { Sent } from './purchase-sums.ts';
import type { Terms } from './reference-cards.ts';
import type { SendMessage } from './reference-purchases.ts';

const ASKED = { ...BY, idempotencyKey: null, fingerprint: Buffer.alloc(32) };

const MCCS: Readonly<Record<Merchant, string>> = { grocer: '5411', restaurant: '5812', 'cash machine': '6011' };

export function messageCommand(real: RealBook, asked: SendMessage): Command<Stored | Refusal> {
  const said = saidOf(real, asked);
  const scope = {
    ...scopeOf(real, asked),
    looksFor: looksFor(said, real.memory.rows(transactions).get(idOf(real, asked))),
  };
  return receiveMessage(said, { scope, tokenId: null }, { consulted: null, keep: () => undefined });
}

const TYPES: Partial<Record<Sent['type'], ReceivedMessage['type']>> = {
  ...{ 'taking back': 'clearing_reversal', 'stand-in': 'advice', completion: 'advice' },
};

function saidOf({ memory, names }: RealBook, { net, card, merchant, reference, sent }: SendMessage): ReceivedMessage {
  const type = TYPES[sent.type] ?? (sent.type as ReceivedMessage['type']);
  const isExpiry = type === 'expiry';
  return {
    ...{ ...ASKED, bookId: memory.book.id, messageReference: reference, type },
    of: isExpiry ? { purchaseId: purchaseId(memory.book.id, net) } : { networkReference: net },
    card: isExpiry ? null : { cardId: names.idOf(card) },
    merchant: isExpiry ? null : merchantOf(merchant),
    ...{ kind: null, currency: null, checks: null },
    incoming: (kind) => incomingOf(reference, sent, kind),
  };
}

function merchantOf(merchant: Merchant): ReceivedMerchant {
  return {
    ...{ merchantId: merchant, acquirerId: null, name: merchant, city: 'Amman', postalCode: null, terminal: null },
    ...{ mcc: MCCS[merchant], country: 'JO', entryMode: 'chip' },
  };
}

function incomingOf(reference: string, sent: Sent, kind: PurchaseKind): Incoming {
  const common = { reference, merchant: null };
  switch (sent.type) {
    case 'authorization':
    case 'increment': {
      const { type, amount, partial: isPartialAllowed } = sent;
      const form = sent.type === 'authorization' && sent.single ? 'single' : 'dual';
      return { ...common, type, kind, form, amount, cashback: 0n, isPartialAllowed };
    }
    case 'clearing': {
      const { type, amount, piece } = sent;
      const sequence = typeof piece === 'number' ? { number: piece, count: 2 } : null;
      return { ...common, type, kind: null, amount, sequence, isFinal: piece === 'not final' ? false : null };
    }
    case 'stand-in': {
      const { isApproved, amount } = sent;
      return {
        ...common,
        type: 'advice',
        reason: 'stand_in',
        of: 'authorization',
        kind,
        form: 'dual',
        isApproved,
        amount,
      };
    }
    case 'completion': {
      const { amount } = sent;
      const of = { of: 'authorization', kind, form: 'dual', isApproved: true, amount } as const;
      return { ...common, type: 'advice', reason: 'completion', ...of };
    }
    case 'taking back':
      return { reference, type: 'clearing_reversal', reverses: sent.reverses, amount: sent.amount };
    case 'expiry':
      return { reference, type: 'expiry' };
    default:
      return { ...common, ...sent };
  }
}

function idOf({ memory }: RealBook, { net }: Pick<SendMessage, 'net'>) {
  return purchaseId(memory.book.id, net);
}

/** What the product reads of a purchase and its card. */
export function scopeOf(real: RealBook, asked: Pick<SendMessage, 'net' | 'card'>): PurchaseScope {
  const { memory, names } = real;
  const card = memory.get(cards, names.idOf(asked.card));
  const id = idOf(real, asked);
  const { accountId, currency } = card;
  const subjects = { card: card.lineId, account: accountId, program: memory.book.id };
  const counterIds = counterIdsOf(subjects, currency);
  const inForce = Object.values(subjects).map((subject) => memory.rows(controlsInForce).get(subject));
  const versions = inForce.flatMap((one) => [one?.active ?? null, one?.shadow ?? null]).filter((one) => one !== null);
  return {
    ...{ bookId: memory.book.id, purchaseId: id, networkReference: asked.net },
    card: { cardId: card.id, line: lineOf(card), accountId, currency, versions, counterIds },
    ...{ holds: memory.rows(transactions).get(id)?.holds ?? 0, disputes: disputeIdsIn(real, id), looksFor: null },
  };
}

export function disputeIdsIn({ memory }: RealBook, purchase: Uuid): Uuid[] {
  const all = [...memory.rows(transactionDisputes).values()];
  return all.filter(({ transactionId }) => transactionId === purchase).map(({ id }) => id);
}

/** A card that nothing has replaced. */
export function lineOf({ id, lineId }: StoredCard): LineRead {
  return { lineId, cardIds: [id], tokenIds: [], tokens: 0 };
}

/** What the processor says of a card that it was asked to issue. */
export function processorSays({ memory, names }: RealBook, card: string, isIssued: boolean): Command<CardOperation> {
  const known = memory.get(cards, names.idOf(card));
  const operation = [...memory.rows(cardOperations).values()].find(
    ({ cardId, kind }) => cardId === known.id && kind === 'issue',
  )!;
  const said = { call: 'submit', reference: 'P-1', nextInquiryMs: 1_000, raw: {} } as const;
  const issued = { cardReference: `ref-${known.id}`, lastFour: '4242', expMonth: 12, expYear: 2034, network: 'visa' };
  const report = isIssued
    ? { ...said, status: 'succeeded' as const, card: issued }
    : { ...said, status: 'declined' as const, code: 'refused' as const };
  return applyProcessorReport({ operation, report, line: lineOf(known) });
}

export function programCommand({ memory }: RealBook, { fee, days }: Terms): Command<Stored | Refusal> {
  const schedule = { fixed: 30n, basisPoints: 100n, minimum: null, maximum: null, rounding: 'half_even' } as const;
  const change: UpdateProgram['change'] = {
    fees: { ...NO_FEES, cash: fee ? schedule : null },
    expiryDays: { ...DEFAULT_EXPIRY_DAYS, default: days },
  };
  const rules = { allow: { permits: () => false }, ports: [] };
  const input = { ...ASKED, bookId: memory.book.id, commandId: newId(), change, ...rules };
  // Signs what an endpoint is asked, and there is none.
  const none = Buffer.alloc(0);
  return updateProgram(input, { forRow: none, forAnswer: none });
}
