/** Rows that follow from others, which Postgres computes as it loads them: here from the rows of a book in memory. */
import {
  CEILING_ID,
  OVERDRAFT_CEILING_DEFAULTS,
  overdraftCeilings,
} from '../../src/accounts/overdraft-ceiling-store.ts';
import type { Table } from '../../src/ledger/rows/table.ts';
import { disputes } from '../../src/payments/disputes/dispute-table.ts';
import { operationCounts } from '../../src/payments/operations/operation-counts-store.ts';
import { paymentOperations } from '../../src/payments/operations/payment-operation-table.ts';
import { openPayments, type PaymentsUnderWay } from '../../src/payments/operations/under-way-store.ts';
import { payments } from '../../src/payments/payment/payment-table.ts';
import { paymentShares } from '../../src/payments/shares/share-table.ts';
import { inFlightPayouts } from '../../src/payouts/payout/in-flight-store.ts';
import { payouts } from '../../src/payouts/payout/payout-table.ts';
import type { Uuid } from '../../src/values/ids.ts';
import type { MemoryBook } from './memory-book.ts';

type Derive = (book: MemoryBook, id: string) => unknown;

const DERIVED = new Map<Table<unknown>, Derive>([
  [
    inFlightPayouts as Table<unknown>,
    (book, accountId) => ({ accountId, payoutIds: payoutsInFlight(book, accountId) }),
  ],
  [openPayments as Table<unknown>, underWay],
  [
    operationCounts as Table<unknown>,
    (book, id) => ({
      paymentId: id,
      captures: counted(book, id, 'capture'),
      refunds: counted(book, id, 'refund'),
    }),
  ],
]);

/** Undefined where the table's rows are its own. Throws for a derived one that nobody has written here. */
export function loadDerived(
  book: MemoryBook,
  table: Table<unknown>,
  ids: readonly string[],
): Map<string, unknown> | undefined {
  if (table === overdraftCeilings) return new Map([[CEILING_ID, OVERDRAFT_CEILING_DEFAULTS[book.book.mode]]]);
  const derive = DERIVED.get(table);
  if (derive) return new Map(ids.map((id) => [id, derive(book, id)]));
  if (table.derived) throw new Error(`${table.name} follows from other rows: say here how, or no decision sees it`);
  return undefined;
}

function payoutsInFlight(book: MemoryBook, accountId: string): string[] {
  const isOpen = (status: string) => status === 'pending' || status === 'processing';
  const own = [...book.rows(payouts).values()].filter((payout) => payout.accountId === accountId);
  return own.filter(({ status }) => isOpen(status)).map(({ id }) => id);
}

function underWay(book: MemoryBook, accountId: Uuid): PaymentsUnderWay {
  const of = <Row extends { readonly id: Uuid; readonly accountId: Uuid; readonly status: string }>(
    rows: Iterable<Row>,
    statuses: readonly string[],
  ) => [...rows].filter((row) => row.accountId === accountId && statuses.includes(row.status));
  const ids = (rows: readonly { readonly id: Uuid }[]) => rows.map(({ id }) => id);
  const open = ['requires_action', 'processing', 'authorized', 'partially_captured'];
  const refunds = of(book.rows(paymentOperations).values(), ['pending']).filter(({ kind }) => kind === 'refund');
  const shares = of(book.rows(paymentShares).values(), ['open']);
  return {
    accountId,
    paymentIds: ids(of(book.rows(payments).values(), open)),
    refundIds: ids(refunds),
    disputeIds: ids(of(book.rows(disputes).values(), ['opened', 'evidence_submitted'])),
    unreleased: shares.reduce((sum, { amount }) => sum + amount, 0n),
  };
}

function counted(book: MemoryBook, paymentId: string, kind: 'capture' | 'refund'): number {
  const operations = [...book.rows(paymentOperations).values()];
  return operations.filter((operation) => operation.paymentId === paymentId && operation.kind === kind).length;
}
