/** Rows that follow from others, which Postgres computes as it loads them: here from the rows of a book in memory. */
import {
  CEILING_ID,
  OVERDRAFT_CEILING_DEFAULTS,
  overdraftCeilings,
} from '../../src/accounts/account/overdraft-ceiling-store.ts';
import { isOpen } from '../../src/cards/card/card.ts';
import { cards } from '../../src/cards/card/card-table.ts';
import { openCards } from '../../src/cards/card/open-cards-store.ts';
import type { Table } from '../../src/ledger/rows/table.ts';
import { disputes } from '../../src/payments/disputes/dispute-table.ts';
import { operationCounts } from '../../src/payments/operations/operation-counts-store.ts';
import { paymentOperations } from '../../src/payments/operations/payment-operation-table.ts';
import { openPayments, type PaymentsUnderWay } from '../../src/payments/operations/under-way-store.ts';
import { payments } from '../../src/payments/payment/payment-table.ts';
import { paymentShares } from '../../src/payments/shares/share-table.ts';
import { type BatchCounts, NO_PAYOUTS } from '../../src/payouts/batches/batch-counts.ts';
import { batchCounts } from '../../src/payouts/batches/batch-counts-store.ts';
import { payoutBatches } from '../../src/payouts/batches/batch-table.ts';
import { openBatches } from '../../src/payouts/batches/open-batches-store.ts';
import { inFlightPayouts } from '../../src/payouts/payout/in-flight-store.ts';
import { payouts } from '../../src/payouts/payout/payout-table.ts';
import { transactionDisputes } from '../../src/transactions/disputes/dispute-table.ts';
import { lookalikeKey, lookalikes, type OpenAtMerchant } from '../../src/transactions/purchase/lookalike-store.ts';
import { type OpenOfAccount, openOfAccounts } from '../../src/transactions/purchase/open-purchases-store.ts';
import { transactions } from '../../src/transactions/purchase/purchase-table.ts';
import type { Uuid } from '../../src/values/ids.ts';
import type { MemoryBook } from './memory-book.ts';

type Derive = (book: MemoryBook, id: string) => unknown;

const DERIVED = new Map<Table<unknown>, Derive>([
  [
    inFlightPayouts as Table<unknown>,
    (book, accountId) => ({ accountId, payoutIds: payoutsInFlight(book, accountId) }),
  ],
  [openPayments as Table<unknown>, underWay],
  [openCards as Table<unknown>, (book, accountId) => ({ accountId, cardIds: cardsOpen(book, accountId) })],
  [openOfAccounts as Table<unknown>, purchasesOpen],
  [lookalikes as Table<unknown>, openAtMerchant],
  [openBatches as Table<unknown>, (book, accountId) => ({ accountId, batchIds: batchesOpen(book, accountId) })],
  [batchCounts as Table<unknown>, countsOfBatch],
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
  const open = ['requires_approval', 'scheduled', 'pending', 'processing'];
  const own = [...book.rows(payouts).values()].filter((payout) => payout.accountId === accountId);
  return firstTen(own.filter(({ status }) => open.includes(status)));
}

/** As many as statements list, in their order. */
function firstTen(rows: readonly { readonly id: Uuid }[]): Uuid[] {
  const ids = rows.map(({ id }) => id);
  return ids.sort().slice(0, 10);
}

function purchasesOpen(book: MemoryBook, accountId: Uuid): OpenOfAccount {
  const purchases = [...book.rows(transactions).values()].filter((one) => one.accountId === accountId && one.isOpen);
  const undecided = ['opened', 'submitted'];
  const disputed = [...book.rows(transactionDisputes).values()].filter((one) => one.accountId === accountId);
  return {
    accountId,
    transactionIds: firstTen(purchases),
    transactionDisputeIds: firstTen(disputed.filter(({ status }) => undecided.includes(status))),
  };
}

function openAtMerchant(book: MemoryBook, key: string): OpenAtMerchant {
  const own = [...book.rows(transactions).values()].filter(
    ({ cardId, facts, amounts }) => lookalikeKey(cardId, facts.merchantId) === key && amounts.held > 0n,
  );
  const open = own.map(({ id, cardId, facts, amounts, merchantLeft }) => ({
    ...{ transactionId: id, cardId, merchantId: facts.merchantId, amount: amounts.held, merchant: merchantLeft },
  }));
  return { open: open.toSorted((one, other) => (one.transactionId < other.transactionId ? -1 : 1)) };
}

function batchesOpen(book: MemoryBook, accountId: string): string[] {
  const open = [...book.rows(payoutBatches).values()].filter(
    ({ status, payingAccounts }) =>
      ['draft', 'requires_approval', 'scheduled', 'processing'].includes(status) &&
      payingAccounts.some((paying) => paying.accountId === accountId),
  );
  return firstTen(open);
}

function countsOfBatch(book: MemoryBook, batchId: string): BatchCounts | undefined {
  const own = [...book.rows(payouts).values()].filter((payout) => payout.batchId === batchId);
  if (own.length === 0) return undefined;
  const counts: Record<keyof BatchCounts, number> = { ...NO_PAYOUTS };
  for (const { status, outcome } of own) counts[(outcome === null ? status : 'unknown') as keyof BatchCounts] += 1;
  return counts;
}

function cardsOpen(book: MemoryBook, accountId: string): string[] {
  const open = [...book.rows(cards).values()].filter((card) => card.accountId === accountId && isOpen(card));
  return firstTen(open);
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
