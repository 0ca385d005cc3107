/** The reference's payments: the result of each request, by the rules of the API reference alone. What acquirers say: words.ts. */
import type { ReferenceBook } from '../../reference-book.ts';
import { type Movement, refused, type Said } from '../../reference-ledger.ts';
import { type Operation, PaymentRecords, type ReferencePayment } from './records.ts';
import { feeGivenBack, feeOfTotal } from './reference-fees.ts';
import { ReferenceShares, surely } from './reference-shares.ts';

export interface AcceptPayment {
  readonly account: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly manual: boolean;
  readonly dry: boolean;
}

/** Of a payment. */
export interface Request {
  readonly payment: string;
  readonly ifMatch?: number;
}

export interface CapturePayment extends Request {
  /** Null: all that can be captured. */
  readonly amount: bigint | null;
  readonly final: boolean | null;
}

export function accept(book: ReferenceBook, { account, currency, amount, manual, dry }: AcceptPayment): Said {
  const records = book.of(PaymentRecords);
  const known = book.accounts.get(account);
  if (!known) return refused('resource_not_found');
  if (known.status === 'closed') return refused('account_closed');
  if (known.currency !== currency) return refused('currency_mismatch');
  if (feeOfTotal(amount) >= amount) return refused('amount_below_minimum');
  if (dry) return { status: 200 };
  const name = `payment ${records.payments.size + 1}`;
  const nothing = { authorized: 0n, captured: 0n, refunded: 0n, refunding: 0n, disputed: 0n, settled: 0n };
  const payment: ReferencePayment = {
    ...{ name, account, currency, ...nothing, status: 'processing', fee: 0n, feeRefunded: 0n, version: 1 },
    ...{ pending: null, expiresAt: null, day: null },
  };
  records.payments.set(name, payment);
  book.tell('payment.created', name, 1);
  payment.pending = records.begin(name, 'authorize', { amount, final: !manual }).name;
  return { status: 202, resource: name };
}

export function capture(book: ReferenceBook, { payment: name, amount: asked, final, ifMatch }: CapturePayment): Said {
  const payment = book.of(PaymentRecords).payment(name);
  const refusal = guard(book, payment, 'capture', ifMatch) ?? guardTime(book, payment);
  if (refusal) return refusal;
  const left = book.of(PaymentRecords).capturable(payment);
  const amount = asked ?? left;
  if (amount > left) return refused('capture_exceeds_authorized');
  const fee = feeOfTotal(payment.captured + amount) - feeOfTotal(payment.captured);
  if (fee >= amount) return refused('amount_below_minimum');
  return operate(book, payment, 'capture', { amount, final: final ?? amount === left });
}

export function cancel(book: ReferenceBook, { payment: name, ifMatch }: Request): Said {
  const payment = book.of(PaymentRecords).payment(name);
  const amount = book.of(PaymentRecords).capturable(payment);
  return guard(book, payment, 'cancel', ifMatch) ?? operate(book, payment, 'void', { amount, final: false });
}

export function increment(book: ReferenceBook, { payment: name, amount }: Request & { amount: bigint }): Said {
  const payment = book.of(PaymentRecords).payment(name);
  const refusal = guard(book, payment, 'increment') ?? guardTime(book, payment);
  if (refusal) return refusal;
  if (amount <= payment.authorized) return refused('amount_below_minimum');
  return operate(book, payment, 'increment', { amount, final: false });
}

/** The money leaves its sources with the request. */
export function refund(
  book: ReferenceBook,
  { payment: name, amount: asked, ifMatch }: Request & { amount: bigint | null },
): Said {
  const records = book.of(PaymentRecords);
  const payment = records.payment(name);
  const refusal = guard(book, payment, 'refund', ifMatch);
  if (refusal) return refusal;
  const amount = asked ?? records.refundable(payment);
  if (amount > records.refundable(payment)) return refused('refund_exceeds_captured');
  const { account, currency } = payment;
  const { status, overdraft } = book.accounts.get(account)!;
  if (status === 'frozen') return refused('account_frozen');
  if (status === 'closed') return refused('account_closed');
  const fee = feeGivenBack(payment, amount);
  const available = book.available(account) + overdraft!;
  const shares = book.of(ReferenceShares);
  const { portions, missing } = shares.plan(amount - fee, { account, captures: records.capturesOf(name), available });
  if (missing > 0n) return refused('insufficient_funds');
  const begun = records.begin(name, 'refund', { amount, final: false });
  const [operator, transit] = [book.chart('due_operator', currency), book.chart('refunds_in_transit', currency)];
  // A fee as large as the refund needs no source: it passes through what is pending.
  const pending = { share: null, amount: 0n, account: book.chart('merchant_pending', currency) };
  const sources = portions.map((portion) => ({ ...portion, account: records.accountOf(payment, portion.share) }));
  const movements = (sources.length > 0 ? sources : [pending]).flatMap((portion, at): Movement[] => {
    const source = portion.account;
    const given = at === 0 ? fee : 0n;
    return [
      { debit: operator, credit: source, amount: given },
      { debit: source, credit: transit, amount: portion.amount + given },
    ];
  });
  const entry = surely(book.post({ resource: begun.name, step: 'refunded', movements }));
  shares.take(portions);
  Object.assign(begun, { fee, portions });
  payment.refunding += amount;
  payment.fee -= fee;
  payment.feeRefunded += fee;
  payment.version++;
  book.tell('refund.created', begun.name, 1, [entry]);
  return { status: 202, resource: begun.name };
}

export function expire(book: ReferenceBook, { payments }: { payments: readonly string[] }): Said {
  const records = book.of(PaymentRecords);
  let expired = 0;
  for (const payment of payments.map((name) => records.payment(name))) {
    if (payment.expiresAt === null || payment.expiresAt > book.moment) continue;
    // Nothing expires while the acquirer may still answer.
    if (payment.pending !== null) payment.expiresAt = book.moment + 60_000;
    else {
      expired++;
      payment.expiresAt = null;
      records.step(payment, payment.captured > 0n ? 'captured' : 'expired');
      records.settleIfPaid(payment);
    }
  }
  return { status: 0, resource: `${expired} expired` };
}

function operate(
  book: ReferenceBook,
  payment: ReferencePayment,
  kind: Operation['kind'],
  of: Pick<Operation, 'amount' | 'final'>,
): Said {
  payment.pending = book.of(PaymentRecords).begin(payment.name, kind, of).name;
  payment.version++;
  return { status: 200, resource: payment.name };
}

function guard(book: ReferenceBook, payment: ReferencePayment, action: string, ifMatch?: number): Said | undefined {
  if (ifMatch !== undefined && ifMatch !== payment.version) return refused('version_mismatch');
  if (book.of(PaymentRecords).actions(payment).includes(action)) return undefined;
  const isBusy = payment.pending !== null && action !== 'refund';
  return { ...refused('state_conflict'), ...(isBusy ? { isPassing: true as const } : {}) };
}

function guardTime(book: ReferenceBook, { expiresAt }: ReferencePayment): Said | undefined {
  return expiresAt !== null && expiresAt <= book.moment ? refused('authorization_expired') : undefined;
}
