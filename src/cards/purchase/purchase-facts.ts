/**
 * What rules know of a purchase: its kind, its merchant, and how the card was presented. The first message sets them; rules, limits and
 * counters of later messages go by the same.
 */

/** What moves money away from the account. */
export const DEBIT_KINDS = ['purchase', 'cash', 'quasi_cash', 'transfer_out'] as const;

export type DebitKind = (typeof DEBIT_KINDS)[number];

export type CreditKind =
  /** A merchant gives back. */
  | 'refund'
  /** Somebody pays to the card. */
  | 'transfer_in';

/** Of amount 0. */
export type InquiryKind = 'account_verification' | 'balance_inquiry';

export type PurchaseKind = DebitKind | CreditKind | InquiryKind;

/** In the order in which they are shown. */
export const PURCHASE_KINDS = [
  ...DEBIT_KINDS,
  'account_verification',
  'balance_inquiry',
  'refund',
  'transfer_in',
] as const satisfies readonly PurchaseKind[];

export const ENTRY_MODES = ['chip', 'contactless', 'magstripe', 'manual', 'ecommerce', 'recurring'] as const;

export type EntryMode = (typeof ENTRY_MODES)[number];

export interface PurchaseFacts {
  readonly kind: PurchaseKind;
  /** ISO 18245, four digits; also one that the standard does not list. */
  readonly mcc: string;
  /** Of the merchant: ISO 3166-1 alpha-2; also one that the standard does not list. */
  readonly country: string;
  /** The acquirer's name of the merchant: of one acquirer alone. */
  readonly merchantId: string;
  readonly acquirerId: string | null;
  /** Null where the first message was a clearing that names none. */
  readonly entryMode: EntryMode | null;
}

const CASH_MCCS = ['6010', '6011'];
/** Money orders and transfers, foreign currency and crypto-assets, stored value, betting: as good as cash. */
const QUASI_CASH_MCCS = ['4829', '6051', '6540', '7995'];

/** The kind that a request names; without one, that of its MCC. */
export function kindOf({ kind, mcc }: { readonly kind: PurchaseKind | null; readonly mcc: string }): PurchaseKind {
  if (kind !== null) return kind;
  if (CASH_MCCS.includes(mcc)) return 'cash';
  return QUASI_CASH_MCCS.includes(mcc) ? 'quasi_cash' : 'purchase';
}

export function isCredit(kind: PurchaseKind): kind is CreditKind {
  return kind === 'refund' || kind === 'transfer_in';
}

export function isDebit(kind: PurchaseKind): kind is DebitKind {
  return (DEBIT_KINDS as readonly PurchaseKind[]).includes(kind);
}

export function isInquiry(kind: PurchaseKind): kind is InquiryKind {
  return kind === 'account_verification' || kind === 'balance_inquiry';
}

export function isCash(kind: PurchaseKind): boolean {
  return kind === 'cash' || kind === 'quasi_cash';
}
