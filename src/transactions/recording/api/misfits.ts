/** What is wrong with a message beyond the form of each member: what does not fit together. */
import { isInquiry, type PurchaseKind } from '../../../cards/purchase/purchase-facts.ts';
import { ApiError, type ErrorCode, type FieldError } from '../../../errors/errors.ts';
import type { Incoming } from '../../message/message.ts';

interface Body {
  readonly card?: string | undefined;
  readonly card_reference?: string | undefined;
  readonly token?: string | undefined;
  readonly amount?: bigint | undefined;
  readonly cashback_amount?: bigint | undefined;
  readonly merchant_amount?: bigint | undefined;
  readonly merchant_currency?: string | undefined;
  readonly kind?: PurchaseKind | undefined;
  readonly sequence?: { readonly number: number; readonly count: number } | undefined;
  readonly advice?:
    | { readonly reason: string; readonly decision: 'approved' | 'declined'; readonly approved_amount: bigint }
    | undefined;
}

/** Throws ApiError with all of them at once. */
export function requireFit(body: Body, type: Incoming['type']): void {
  const errors = [
    ...cardErrors(body, type),
    ...merchantErrors(body),
    ...cashbackErrors(body),
    ...sequenceErrors(body),
    ...adviceErrors(body),
  ];
  const [first] = errors;
  if (first !== undefined) throw new ApiError(first.code, { fieldErrors: errors });
  if (type === 'authorization') requireAmountOfKind(body);
}

function cardErrors(body: Body, type: Incoming['type']): FieldError[] {
  const given = (['card', 'card_reference', 'token'] as const).filter((name) => body[name] !== undefined);
  if (given.length > 1) return [at(`/${given[1]}`, 'Expects one of `card`, `card_reference` and `token`.')];
  if (given.length === 1 || type !== 'authorization') return [];
  return [at('/card', 'Say the `card`, its `card_reference` or the `token`.', 'parameter_missing')];
}

function merchantErrors({ merchant_amount: amount, merchant_currency: currency }: Body): FieldError[] {
  if ((amount === undefined) === (currency === undefined)) return [];
  const missing = amount === undefined ? '/merchant_amount' : '/merchant_currency';
  return [at(missing, "The merchant's amount and its currency stand together.", 'parameter_missing')];
}

function cashbackErrors({ amount, cashback_amount: cash }: Body): FieldError[] {
  if (amount === undefined || cash === undefined || cash <= amount) return [];
  return [at('/cashback_amount', 'Cashback is a part of the amount.')];
}

function sequenceErrors({ sequence }: Body): FieldError[] {
  if (sequence === undefined || sequence.number <= sequence.count) return [];
  return [at('/sequence/number', 'There are only `count` pieces.')];
}

/** Only a completion approves nothing: of a stand-in that is a decline. */
function adviceErrors({ advice }: Body): FieldError[] {
  if (advice === undefined) return [];
  const { reason, decision, approved_amount: amount } = advice;
  const param = '/advice/approved_amount';
  if (decision === 'declined') return amount === 0n ? [] : [at(param, 'What was declined approves 0.')];
  return amount > 0n || reason === 'completion' ? [] : [at(param, 'What was approved is at least 1.')];
}

/** Verifications and inquiries are of amount 0; nothing else is. */
function requireAmountOfKind({ amount, kind }: Body): void {
  const isZero = kind !== undefined && isInquiry(kind);
  if (isZero === (amount === 0n)) return;
  const detail = isZero ? 'Expects 0: nothing is asked for but an answer.' : 'Expects at least 1.';
  const code = isZero ? 'amount_above_maximum' : 'amount_below_minimum';
  throw new ApiError(code, { param: '/amount', detail, facts: { limit: isZero ? 0n : 1n } });
}

function at(param: string, detail: string, code: ErrorCode = 'parameter_invalid'): FieldError {
  return { code, param, detail };
}
