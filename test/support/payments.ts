/** Payments in a book without an acquirer: what it would say is said here. */
import type { CardShown } from '../../src/acquirers/card.ts';
import type { DisputeTerms } from '../../src/acquirers/dispute-terms.ts';
import type { ReleaseSchedule } from '../../src/calendar/release-schedule.ts';
import { acceptPayment } from '../../src/payments/acceptance/accept-payment.ts';
import type { Dispute } from '../../src/payments/disputes/dispute.ts';
import { disputeCommand } from '../../src/payments/disputes/dispute-notices.ts';
import type { DisputeNotice } from '../../src/payments/disputes/settle-dispute.ts';
import type { AcquirerReport } from '../../src/payments/operations/acquirer-report.ts';
import type { PaymentOperation } from '../../src/payments/operations/payment-operation.ts';
import { paymentOperations } from '../../src/payments/operations/payment-operation-table.ts';
import { applyAcquirerReport } from '../../src/payments/outcomes/apply-acquirer-report.ts';
import { checkReport } from '../../src/payments/paydays/check-report.ts';
import { writeReport } from '../../src/payments/paydays/report.ts';
import type { Payment } from '../../src/payments/payment/payment.ts';
import { payments } from '../../src/payments/payment/payment-table.ts';
import { registerReader } from '../../src/payments/readers/manage-reader.ts';
import { terminalSource } from '../../src/payments/readers/terminal-source.ts';
import { bookReport } from '../../src/payments/settlements/book-report.ts';
import { keepReport } from '../../src/payments/settlements/report-store.ts';
import type { PreparedSource, SourceOf, SourceRuntime } from '../../src/payments/sources/source.ts';
import { systemClock } from '../../src/values/clock.ts';
import { newId, publicId, type Uuid } from '../../src/values/ids.ts';
import type { TestBook } from './book.ts';
import { TEST_SECRET_BOX } from './secret-box.ts';

export const CARD: CardShown = {
  brand: 'visa',
  lastFour: '4242',
  expMonth: 12,
  expYear: 2034,
  fingerprint: 'a digest',
  funding: 'credit',
  country: 'US',
};

/** A schedule of calendar days, once settled, without a cut-off and without a reserve. */
export function releaseIn(change: Partial<ReleaseSchedule> = {}): ReleaseSchedule {
  return {
    days: 2,
    unit: 'days',
    calendar: 'sat_sun',
    cutOff: null,
    onceSettled: true,
    reserve: null,
    ...change,
  };
}

export const RELEASE = releaseIn();

/** A payment that is at the acquirer, and its authorization. */
export async function acceptOne(
  book: TestBook,
  {
    accountId,
    amount = 20_000n,
    manual = false,
    storeFor = null,
    idempotencyKey = newId(),
  }: { accountId: Uuid; amount?: bigint; manual?: boolean; storeFor?: string | null; idempotencyKey?: string },
): Promise<{ payment: Payment; operation: PaymentOperation }> {
  const paymentId = newId();
  const accepted = await book.submit(
    acceptPayment({
      ...requested(book, { paymentId, accountId, amount }),
      captureMode: manual ? 'manual' : 'automatic',
      ...{ storeFor, idempotencyKey },
    }),
  );
  if (accepted.refused) throw new Error(`The payment was refused: ${accepted.refused}`);
  return operationUnderWay(book, paymentId);
}

/** A payment by card, with automatic capture. */
export function requested(
  book: Pick<TestBook, 'id'>,
  of: { paymentId: Uuid; accountId: Uuid; amount: bigint },
): Parameters<typeof acceptPayment>[0] {
  return {
    ...of,
    bookId: book.id,
    captureMode: 'automatic',
    storeFor: null,
    currency: 'EUR',
    sourceType: 'card',
    acquirer: 'sandbox_acquirer',
    source: { card: CARD, token: 'stok_1', nextAction: null, expiresAfterMs: null, touches: [] },
    initiator: 'customer',
    recurring: null,
    billingSealed: null,
    fee: { fixed: 10n, basisPoints: 250n },
    statementDescriptor: null,
    returnUrl: null,
    cancelUrl: null,
    description: 'Order 77',
    externalId: null,
    metadata: {},
    idempotencyKey: newId(),
    requestId: newId(),
    actor: 'system',
    dryRun: false,
  };
}

/** A request to pay, and what is sent for it. */
export async function acceptRequest(
  book: TestBook,
  of: { paymentId: Uuid; accountId: Uuid; aliasSealed: Buffer; expiresAfterMs: number },
): Promise<{ payment: Payment; operation: PaymentOperation }> {
  const { aliasSealed, expiresAfterMs } = of;
  const facts = { aliasMasked: 'S****77', requestExpiresAt: Date.now() + expiresAfterMs };
  const asked = { card: null, token: null, isRequest: true, nextAction: null, touches: [] } as const;
  const source = { ...asked, facts, aliasSealed, expiresAfterMs };
  await book.submit(
    acceptPayment({ ...requested(book, { ...of, amount: 20_000n }), sourceType: 'cliq_request', source }),
  );
  return operationUnderWay(book, of.paymentId);
}

async function operationUnderWay(book: TestBook, paymentId: Uuid) {
  const payment = (await payments.find(book.pool, book.id, paymentId))!;
  const operation = (await paymentOperations.find(book.pool, book.id, payment.pendingOperation!))!;
  return { payment, operation };
}

/** A payment that waits for a card at a reader of its own. */
export async function askReader(book: TestBook, { accountId }: { accountId: Uuid }): Promise<Payment> {
  const registered = await book.submit(registerReader({ label: 'Counter 1', metadata: {}, requestId: newId() }));
  if (registered.refused) throw new Error(`The reader was refused: ${registered.refused}`);
  const paymentId = newId();
  const source = await prepareTerminal(book, registered.resourceId!, paymentId);
  const request = { ...requested(book, { paymentId, accountId, amount: 20_000n }), source };
  await book.submit(acceptPayment({ ...request, sourceType: 'terminal' }));
  return (await payments.find(book.pool, book.id, paymentId))!;
}

/** Of what a source may ask for, a reader needs the rows alone. */
function prepareTerminal(book: TestBook, readerId: Uuid, paymentId: Uuid): Promise<PreparedSource> {
  const runtime = { pool: book.pool } as SourceRuntime;
  const of = { bookId: book.id, paymentId } as SourceOf;
  return terminalSource.prepare(runtime, { type: 'terminal', readerId }, of);
}

/** An acquirer's answer, but for what a test says of it. */
export const SUCCEEDED: AcquirerReport = {
  call: 'submit',
  status: 'succeeded',
  authorizationMs: 7 * 24 * 60 * 60_000,
  nextInquiryMs: 1_000,
  mismatches: [],
  raw: {},
};

/** What the acquirer says of an operation is taken in. */
export function say(
  book: TestBook,
  {
    payment,
    operation,
    release,
  }: { payment: Payment; operation: PaymentOperation; release?: Partial<ReleaseSchedule> },
  report: Partial<AcquirerReport>,
): Promise<PaymentOperation> {
  return book.submit(
    applyAcquirerReport(book.id, {
      payment,
      operation,
      report: { ...SUCCEEDED, ...report },
      read: { release: releaseIn(release), today: { now: Date.now(), timeZone: 'UTC' }, movedShares: [] },
    }),
  );
}

/** The acquirer pays every capture that it has not paid. */
export async function settleAll(book: TestBook): Promise<void> {
  const captures = await book.rows<{ reference: string; currency: string; amount: bigint }>(
    `SELECT reference, currency, amount FROM payment_operations
     WHERE book_id = $1 AND kind = 'capture' AND status = 'succeeded' AND settled_at IS NULL ORDER BY id`,
  );
  if (captures.length === 0) return;
  const merchant = publicId('book', book.id);
  const bytes = writeReport(
    captures.map(({ amount: gross, ...line }) => ({
      ...line,
      lineId: newId(),
      merchant,
      type: 'capture' as const,
      gross,
      cost: 0n,
    })),
  );
  const file = { acquirer: 'sandbox_acquirer', mode: 'test', name: 'a test', ...checkReport(() => [bytes]) } as const;
  await bookReport(book, await keepReport({ pool: book.pool, secretBox: TEST_SECRET_BOX }, file, Date.now()));
}

/** A chargeback of all that is captured and not disputed, or what the test says of it, is taken in. */
export async function tellOfDispute(
  book: TestBook,
  operation: PaymentOperation,
  change: Partial<DisputeNotice> = {},
  disputeTerms: DisputeTerms = { fees: new Map(), feeRefunded: false },
): Promise<{ dispute: Dispute; notice: DisputeNotice }> {
  const notice: DisputeNotice = {
    id: newId(),
    originator: book.id,
    endToEndId: operation.reference,
    kind: 'dispute_chargeback',
    amount: null,
    code: 'fraudulent',
    reference: `dispute of ${operation.id}`,
    confirmed: { amount: operation.amount, currency: operation.currency },
    createdAt: Date.now(),
    ...change,
  };
  const command = await disputeCommand({ pool: book.pool, clock: systemClock, disputeTerms }, book.id, operation, {
    notice,
    evidence: '{}',
  });
  const { dispute } = await book.submit(command);
  return { dispute: dispute!, notice };
}
