/** Payments in a book in memory: a customer, what is asked of a payment, and what its acquirer reports. */
import { ApiError } from '../../src/errors/errors.ts';
import type { Stored } from '../../src/idempotency/idempotency-key.ts';
import type { Account } from '../../src/ledger/account/account.ts';
import { accounts } from '../../src/ledger/account/account-table.ts';
import { newAccount } from '../../src/ledger/account/chart.ts';
import type { Command, Refusal } from '../../src/ledger/command/command.ts';
import { type AcceptPayment, acceptPayment } from '../../src/payments/acceptance/accept-payment.ts';
import {
  type ActOnPayment,
  cancelPayment,
  capturePayment,
  incrementPayment,
} from '../../src/payments/actions/act-on-payment.ts';
import { answerDispute } from '../../src/payments/disputes/answer-dispute.ts';
import type { Dispute, DisputeAction } from '../../src/payments/disputes/dispute.ts';
import { settleDispute } from '../../src/payments/disputes/settle-dispute.ts';
import type { AcquirerReport } from '../../src/payments/operations/acquirer-report.ts';
import type { PaymentOperation } from '../../src/payments/operations/payment-operation.ts';
import { paymentOperations } from '../../src/payments/operations/payment-operation-table.ts';
import { applyAcquirerReport, type ReportTerms } from '../../src/payments/outcomes/apply-acquirer-report.ts';
import type { Payment } from '../../src/payments/payment/payment.ts';
import { payments } from '../../src/payments/payment/payment-table.ts';
import { type RefundRequest, refundPayment } from '../../src/payments/refunds/refund-payment.ts';
import { type MoneySources, sharesOf } from '../../src/payments/refunds/take-from-sources.ts';
import { type PaymentShare, shareId } from '../../src/payments/shares/share.ts';
import { paymentShares } from '../../src/payments/shares/share-table.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { MemoryBook } from './memory-book.ts';
import { RELEASE, requested, SUCCEEDED } from './payments.ts';

/** The amount of every payment: with its fee of 510, what it earned is 19,490. */
export const AMOUNT = 20_000n;

const BY = { actor: 'api_key:key_1' } as const;

/** What a request has read beside its payment. */
interface Authorized {
  readonly authorization: PaymentOperation | undefined;
}

/** The same of a refund. */
export interface RefundRead {
  readonly of: PaymentOperation | undefined;
  readonly sources: MoneySources;
}

export interface Refused {
  readonly code: string;
  readonly param?: string;
  /** Not kept: the same request may succeed in a moment. */
  readonly isThrown?: true;
}

export class PaymentScene {
  readonly memory = new MemoryBook();
  readonly accountId: Uuid;

  constructor() {
    const account = newAccount(newId(), 'customer', 'EUR');
    this.memory.put(accounts, account.id, account);
    this.accountId = account.id;
  }

  changeAccount(change: Partial<Account>): void {
    this.memory.put(accounts, this.accountId, { ...this.memory.account(this.accountId), ...change });
  }

  change({ id }: Pick<Payment, 'id'>, change: Partial<Payment>): Payment {
    return this.memory.put(payments, id, { ...this.memory.get(payments, id), ...change });
  }

  /** By card, captured at once, with the changes of a case. */
  accepting(change: Partial<AcceptPayment> = {}): Command<Stored | Refusal> {
    const of = { paymentId: newId(), accountId: this.accountId, amount: AMOUNT };
    return acceptPayment({ ...requested(this.memory.book, of), ...change });
  }

  /** At the acquirer, to be authorized, and captured at once unless a case says otherwise. */
  accepted(change: Partial<AcceptPayment> = {}): Payment {
    return this.#payment(this.#done(this.accepting(change)).resourceId!);
  }

  /** Nothing is captured. */
  authorized(): Payment {
    return this.#authorize(this.accepted({ captureMode: 'manual' }));
  }

  /** Captured in one call, and not paid by the acquirer. */
  captured(): Payment {
    return this.#authorize(this.accepted());
  }

  capturing(
    payment: Payment,
    input: Partial<Parameters<typeof capturePayment>[2]> = {},
    { authorization }: Authorized = this.#read(payment),
  ): Command<Stored | Refusal> {
    return capturePayment(this.memory.book.id, { payment, authorization }, { ...asked(), ...input });
  }

  canceling(payment: Payment): Command<Stored | Refusal> {
    return cancelPayment(this.memory.book.id, { payment, ...this.#read(payment) }, asked());
  }

  incrementing(payment: Payment, amount: bigint): Command<Stored | Refusal> {
    return incrementPayment(this.memory.book.id, { payment, ...this.#read(payment) }, { ...asked(), amount });
  }

  refunding(
    payment: Payment,
    input: Partial<RefundRequest> = {},
    read: RefundRead = this.refundRead(payment),
  ): Command<Stored | Refusal> {
    const request = { ...asked(), bookId: this.memory.book.id, paymentId: payment.id, fingerprint: Buffer.alloc(32) };
    return refundPayment(this.memory.book.id, { payment, ...read }, { ...request, ...input });
  }

  refundRead(payment: Payment): RefundRead {
    return { of: this.#read(payment).authorization, sources: sourcesOf(this, payment) };
  }

  /** A chargeback of the whole payment, which waits for an answer. */
  disputed(payment: Payment): Dispute {
    const operation = this.#read(payment).authorization!;
    const { amount, currency, reference } = operation;
    const { dispute } = this.memory.answer(
      settleDispute(this.memory.book.id, {
        ...{ payment, operation, known: undefined, opened: undefined, dated: true, evidence: '{}' },
        ...{ sources: sourcesOf(this, payment), wayBack: [], today: today(this.memory) },
        terms: { fees: new Map(), feeRefunded: false },
        notice: {
          ...{ id: newId(), originator: this.memory.book.id, endToEndId: reference, createdAt: this.memory.now },
          ...{ kind: 'dispute_chargeback', amount: null, code: 'fraudulent', reference: 'D1' },
          confirmed: { amount, currency },
        },
      }),
    );
    return dispute!;
  }

  answering(dispute: Dispute, action: DisputeAction): Command<Stored | Refusal> {
    const said = action === 'submit_evidence' ? { evidence: { refund_policy: 'None.' } } : {};
    const input = { ...asked(), bookId: this.memory.book.id, disputeId: dispute.id, action, ...said };
    return answerDispute(this.memory.book.id, dispute, input);
  }

  /** Does what was asked, and gives the operation that is sent to the acquirer for it. */
  sent(command: Command<Stored | Refusal>): PaymentOperation {
    const known = new Set(this.memory.rows(paymentOperations).keys());
    this.#done(command);
    return [...this.memory.rows(paymentOperations).values()].find(({ id }) => !known.has(id))!;
  }

  reporting(
    operation: PaymentOperation,
    report: Partial<AcquirerReport>,
    read: ReportTerms = this.termsOf(operation),
  ): Command<PaymentOperation> {
    const payment = this.#payment(operation.paymentId);
    return applyAcquirerReport(this.memory.book.id, { payment, operation, report: { ...SUCCEEDED, ...report }, read });
  }

  /** Whatever a kind of operation may need of the book. */
  termsOf(operation: PaymentOperation): NonNullable<ReportTerms> {
    return { release: RELEASE, today: today(this.memory), movedShares: movedShares(this, operation) };
  }

  report(operation: PaymentOperation, report: Partial<AcquirerReport> = {}): PaymentOperation {
    return this.memory.answer(this.reporting(this.now(operation), report));
  }

  now({ id }: Pick<PaymentOperation, 'id'>): PaymentOperation {
    return this.memory.get(paymentOperations, id);
  }

  paymentOf({ paymentId }: Pick<PaymentOperation, 'paymentId'>): Payment {
    return this.#payment(paymentId);
  }

  /** The refusal of a command, kept under its key or thrown. Throws what is neither. */
  refusal(command: Command<Stored | Refusal>): Refused | undefined {
    const decision = this.memory.run([command])[0]!;
    if ('error' in decision) {
      if (!(decision.error instanceof ApiError)) throw decision.error;
      return { code: decision.error.code, isThrown: true };
    }
    const { refused, param } = decision.answer as Refusal;
    return refused && { code: refused, ...(param && { param }) };
  }

  #payment(id: Uuid): Payment {
    return this.memory.get(payments, id);
  }

  #authorize(payment: Payment): Payment {
    this.report(this.now({ id: payment.pendingOperation! }));
    return this.#payment(payment.id);
  }

  #read({ authorizedBy }: Payment): Authorized {
    return { authorization: authorizedBy === null ? undefined : this.now({ id: authorizedBy }) };
  }

  #done(command: Command<Stored | Refusal>): Stored {
    const answer = this.memory.answer(command);
    if (answer.refused) throw new Error(`Refused: ${answer.refused}`);
    return answer;
  }
}

function asked(): ActOnPayment & { readonly requestId: Uuid; readonly actor: string } {
  return { ...BY, requestId: newId(), idempotencyKey: newId() };
}

interface InMemory {
  readonly memory: MemoryBook;
}

/** The book's day whenever it is asked for: a command that is repeated is decided on another. */
export function today(memory: MemoryBook): { readonly now: number; readonly timeZone: string } {
  return {
    get now() {
      return Math.max(memory.now, memory.book.lastPostedAt);
    },
    timeZone: 'UTC',
  };
}

/** In the order of the product's own statements, but for shares of one day: those are in the order of their ids there. */
export function sourcesOf({ memory }: InMemory, payment: Payment): MoneySources {
  const captures = [...memory.rows(paymentOperations).values()].filter(
    ({ paymentId, kind, status }) => paymentId === payment.id && kind === 'capture' && status === 'succeeded',
  );
  const shares = [...memory.rows(paymentShares).values()].filter(
    ({ accountId, status }) => accountId === payment.accountId && status === 'open',
  );
  return {
    captures: captures.map(({ id }) => id),
    own: [...new Set(captures.flatMap(sharesOf))],
    shares: shares.sort(lastFirst).map(({ id }) => id),
  };
}

function lastFirst(one: PaymentShare, other: PaymentShare): number {
  if (one.availableOn !== other.availableOn) return one.availableOn > other.availableOn ? -1 : 1;
  return one.kind === 'waiting' ? -1 : 1;
}

/** The shares that money goes back to: those that it was taken from, and the ready ones of their days. */
export function movedShares({ memory }: InMemory, { portions }: Pick<PaymentOperation, 'portions'>): Uuid[] {
  return sharesOf({ portions }).flatMap((id) => [
    id,
    shareId(memory.book.id, { ...memory.get(paymentShares, id), kind: 'ready' }),
  ]);
}
