/** Payments, their operations, shares and disputes, as the core holds them and as the reference has them. */
import { disputes } from '../../../../src/payments/disputes/dispute-table.ts';
import type { PaymentOperation } from '../../../../src/payments/operations/payment-operation.ts';
import { paymentOperations } from '../../../../src/payments/operations/payment-operation-table.ts';
import { settlements } from '../../../../src/payments/paydays/settlement-table.ts';
import { allowedActions, capturable, type Payment } from '../../../../src/payments/payment/payment.ts';
import { payments } from '../../../../src/payments/payment/payment-table.ts';
import { paymentShares, releases } from '../../../../src/payments/shares/share-table.ts';
import type { Part, RealBook } from '../../part.ts';
import { type Operation, PaymentRecords, type ReferencePayment } from './records.ts';
import { ReferenceDisputes } from './reference-disputes.ts';
import { DAY_MS, nameOf, ReferenceShares } from './reference-shares.ts';
import { shareName } from './rows.ts';

/** Everything that came beside the object of a request, in the order in which it came. */
export function nameRows({ memory, names }: RealBook): void {
  const counted = new Map<string, number>();
  const number = (of: string) => {
    counted.set(of, (counted.get(of) ?? 0) + 1);
    return counted.get(of)!;
  };
  const name = (id: string, as: string) => {
    if (names.nameOf(id) === id) names.bind(as, id);
  };
  for (const { id, kind, paymentId } of memory.rows(paymentOperations).values())
    name(id, `${kind} ${number(`${kind} ${paymentId}`)} of ${names.nameOf(paymentId)}`);
  for (const { id, paymentId } of memory.rows(disputes).values())
    name(id, `dispute ${number(`dispute ${paymentId}`)} of ${names.nameOf(paymentId)}`);
  for (const { id } of memory.rows(releases).values()) name(id, `release ${number('release')}`);
  for (const { id } of memory.rows(settlements).values()) name(id, `settlement ${number('settlement')}`);
}

export const comparePayments: NonNullable<Part['compare']> = [
  {
    real: (real) => rowsOf([...real.memory.rows(payments).values()], real, (payment) => shownPayment(payment, real)),
    expected: (book) => {
      const records = book.of(PaymentRecords);
      return mapped(records.payments, (payment) => expectedPayment(payment, records));
    },
  },
  {
    real: (real) => rowsOf([...real.memory.rows(paymentOperations).values()], real, shownOperation),
    expected: (book) => mapped(book.of(PaymentRecords).operations, expectedOperation),
  },
  {
    real: ({ memory, names }) =>
      listed([...memory.rows(paymentShares).values()].map((share) => [shareName(share, names), share])),
    expected: (book) => listed(book.of(ReferenceShares).all.map((share) => [nameOf(share), share])),
  },
  {
    real: (real) =>
      rowsOf(
        [...real.memory.rows(disputes).values()],
        real,
        ({ status, stage, amount, fee, feeRefunded, version }) => ({
          ...{ status, stage, amount, fee, feeRefunded, version },
        }),
      ),
    expected: (book) =>
      Object.fromEntries(
        book
          .of(ReferenceDisputes)
          .all.map(({ name, status, stage, amount, fee, feeRefunded, version }) => [
            name,
            { status, stage, amount, fee, feeRefunded, version },
          ]),
      ),
  },
];

function shownPayment(payment: Payment, { names }: RealBook) {
  const { amountAuthorized: authorized, amountCaptured: captured, amountRefunded: refunded } = payment;
  const { amountRefunding: refunding, amountDisputed: disputed, amountSettled: settled } = payment;
  const { status, fee, feeRefunded, version, expiresAt, pendingOperation, availableOn } = payment;
  return {
    ...{ status, authorized, captured, refunded, refunding, disputed, settled, fee, feeRefunded, version, expiresAt },
    capturable: capturable(payment),
    actions: allowedActions(payment),
    pending: pendingOperation === null ? null : names.nameOf(pendingOperation),
    day: availableOn === null ? null : Date.parse(availableOn) / DAY_MS,
  };
}

function expectedPayment({ name: _, account, currency, ...rest }: ReferencePayment, records: PaymentRecords) {
  const payment = { name: _, account, currency, ...rest };
  return { ...rest, capturable: records.capturable(payment), actions: records.actions(payment) };
}

function shownOperation({ status, amount, fee, version, portions, settledAt }: PaymentOperation) {
  const total = portions.reduce((sum, portion) => sum + portion.amount, 0n);
  return { status, amount, fee, version, total, isSettled: settledAt !== null };
}

function expectedOperation({ status, amount, fee, version, portions, isSettled }: Operation) {
  const total = portions.reduce((sum, portion) => sum + portion.amount, 0n);
  return { status, amount, fee, version, total, isSettled };
}

function rowsOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { names }: RealBook,
  shown: (row: Row) => object,
): Record<string, unknown> {
  return Object.fromEntries(rows.map((row) => [names.nameOf(row.id), shown(row)]));
}

function mapped<Value>(values: ReadonlyMap<string, Value>, shown: (value: Value) => object): Record<string, unknown> {
  return Object.fromEntries([...values].map(([name, value]) => [name, shown(value)]));
}

/** What settlements release at once has the name of a share of its day. */
function listed(shares: readonly (readonly [string, { status: string; amount: bigint }])[]): Record<string, unknown> {
  const byName = new Map<string, string[]>();
  for (const [name, { status, amount }] of shares)
    byName.set(name, [...(byName.get(name) ?? []), `${status} ${amount}`].sort());
  return Object.fromEntries(byName);
}
