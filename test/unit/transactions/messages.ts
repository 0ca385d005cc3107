/** Messages as tests say them: amounts in minor units of USD, the account's currency, unless they say otherwise. */
import type { PurchaseKind } from '../../../src/cards/purchase/purchase-facts.ts';
import type {
  Advice,
  Clearing,
  Expiry,
  MerchantAmount,
  PostingReversal,
  Refund,
  Request,
  Reversal,
} from '../../../src/transactions/message/message.ts';

/** A message that is yet to get its reference. */
type Unnamed<Message> = Omit<Message, 'reference'>;

export const eur = (amount: bigint): MerchantAmount => ({ amount, currency: 'EUR' });
export const jpy = (amount: bigint): MerchantAmount => ({ amount, currency: 'JPY' });

const REQUEST = {
  kind: 'purchase',
  form: 'dual',
  cashback: 0n,
  merchant: null,
  isPartialAllowed: false,
} as const satisfies Partial<Request>;

type RequestSaid = Partial<Omit<Request, 'reference' | 'type' | 'amount'>>;

export const authorization = (amount: bigint, said: RequestSaid = {}): Unnamed<Request> => ({
  type: 'authorization',
  amount,
  ...REQUEST,
  ...said,
});

export const increment = (amount: bigint, said: RequestSaid = {}): Unnamed<Request> => ({
  ...authorization(amount, said),
  type: 'increment',
});

export const cash = (amount: bigint, said: RequestSaid = {}) => authorization(amount, { kind: 'cash', ...said });

export const PARTIAL = { isPartialAllowed: true } as const;
export const SINGLE = { form: 'single' } as const;

export const advice = (
  reason: Advice['reason'],
  amount: bigint,
  said: Partial<Omit<Advice, 'type' | 'reference'>> = {},
): Unnamed<Advice> => ({
  type: 'advice',
  reason,
  of: 'authorization',
  kind: 'purchase',
  form: 'dual',
  isApproved: true,
  amount,
  merchant: null,
  ...said,
});

/** Without an amount: all of it. */
export const reversal = (amount: bigint | null = null, merchant: MerchantAmount | null = null): Unnamed<Reversal> => ({
  type: 'reversal',
  amount,
  merchant,
});

export const clearing = (
  amount: bigint,
  said: Partial<Omit<Clearing, 'type' | 'reference' | 'amount'>> = {},
): Unnamed<Clearing> => ({
  type: 'clearing',
  kind: null,
  amount,
  merchant: null,
  sequence: null,
  isFinal: null,
  ...said,
});

export const piece = (amount: bigint, number: number, count: number) =>
  clearing(amount, { sequence: { number, count } });

export const refund = (amount: bigint): Unnamed<Refund> => ({ type: 'refund', amount, merchant: null });

export const refundRequest = (amount: bigint, kind: PurchaseKind = 'refund') => authorization(amount, { kind });

export const clearingReversal = (reverses: string, amount: bigint | null = null): Unnamed<PostingReversal> => ({
  type: 'clearing_reversal',
  reverses,
  amount,
});

export const refundReversal = (reverses: string, amount: bigint | null = null): Unnamed<PostingReversal> => ({
  type: 'refund_reversal',
  reverses,
  amount,
});

export const expiry = (): Unnamed<Expiry> => ({ type: 'expiry' });

export type Said =
  | Unnamed<Request>
  | Unnamed<Advice>
  | Unnamed<Reversal>
  | Unnamed<Clearing>
  | Unnamed<Refund>
  | Unnamed<PostingReversal>
  | Unnamed<Expiry>;
