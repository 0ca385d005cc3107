/**
 * What the cardholder is charged for cash and for another currency than the account's. Every fee is of the sum of a purchase: of what is
 * cleared it is booked, of what is still held it is held beside the hold, and each message moves the difference.
 */
import type { ProgramFees } from '../../cards/program/program.ts';
import { feeOfPurchase, feeSchedulesOf } from '../../cards/program/program-fees.ts';
import { isDebit, kindOf, type PurchaseKind } from '../../cards/purchase/purchase-facts.ts';
import type { FeeSchedule } from '../../fees/fee-schedule.ts';
import type { Advice, DecidedRequest, Incoming, MerchantAmount, Message, Request } from '../message/message.ts';

/** Pinned by the first message of a purchase: a program that changes its fees changes those of later purchases. */
export interface FeeTerms {
  readonly currency: string;
  readonly fees: ProgramFees;
  /** Gives a purchase its kind where its debits name none. */
  readonly mcc: string;
}

/** The fee of an amount. Of zero it is zero, whatever the schedule's fixed part. */
export type PurchaseFee = (amount: bigint) => bigint;

export function purchaseFee(messages: readonly (Message | Incoming)[], terms: FeeTerms): PurchaseFee {
  const schedules = purchaseSchedules(messages, terms);
  return (amount) => feeOfPurchase(amount, schedules);
}

/**
 * The schedules that apply: each is charged. The messages of a purchase should agree on kind and currency. Where they do not, cash goes
 * before quasi-cash, and one message in another currency is enough, whichever came first.
 */
export function purchaseSchedules(
  messages: readonly (Message | Incoming)[],
  { currency, fees, mcc }: FeeTerms,
): readonly FeeSchedule[] {
  const debits = messages.map(debitOf).filter((debit) => debit !== null);
  const named = debits.map((debit) => debit.kind).filter((kind) => kind !== null);
  const kinds = named.length === 0 && debits.length > 0 ? [kindOf({ kind: null, mcc })] : named;
  const kind = CASH_FIRST.find((one) => kinds.includes(one)) ?? 'purchase';
  const foreign = debits.find(({ merchant }) => merchant !== null && merchant.currency !== currency);
  return feeSchedulesOf(fees, { kind, currency, merchantCurrency: foreign?.merchant?.currency ?? null });
}
const CASH_FIRST = ['cash', 'quasi_cash'] as const;

interface Debit {
  readonly kind: PurchaseKind | null;
  readonly merchant: MerchantAmount | null;
}

/** Kind and merchant's amount of a message that is about a debit. What was declined changes nothing, and so no fee of what is held. */
function debitOf(message: Message | Incoming): Debit | null {
  switch (message.type) {
    case 'authorization':
    case 'increment':
    case 'advice':
      return isDebit(message.kind) && !isDeclined(message) ? message : null;
    case 'clearing':
      return message;
    default:
      return null;
  }
}

function isDeclined(message: Request | DecidedRequest | Advice): boolean {
  if (message.type === 'advice') return !message.isApproved;
  return 'decision' in message && !message.decision.isApproved;
}
