/** What the reference keeps of payments and of what is sent to their acquirer. */
import type { ReferenceBook } from '../../reference-book.ts';
import type { Movement } from '../../reference-ledger.ts';
import { type Earner, type Portion, type Share, surely } from './reference-shares.ts';

export interface Operation extends Earner {
  readonly name: string;
  readonly payment: string;
  readonly kind: 'authorize' | 'capture' | 'void' | 'increment' | 'refund';
  readonly amount: bigint;
  /** Nothing more is captured. */
  readonly final: boolean;
  status: 'pending' | 'succeeded' | 'failed';
  version: number;
  fee: bigint;
  /** Kinds of exceptions that were opened about it. */
  readonly exceptions: Set<string>;
}

export interface ReferencePayment {
  readonly name: string;
  readonly account: string;
  readonly currency: string;
  status:
    | 'processing'
    | 'authorized'
    | 'partially_captured'
    | 'captured'
    | 'settled'
    | 'canceled'
    | 'expired'
    | 'failed';
  authorized: bigint;
  captured: bigint;
  refunded: bigint;
  refunding: bigint;
  disputed: bigint;
  settled: bigint;
  fee: bigint;
  feeRefunded: bigint;
  /** What changes the authorization, under way. */
  pending: string | null;
  expiresAt: number | null;
  /** The day of its last capture's release. */
  day: number | null;
  version: number;
}

const CAPTURABLE = ['authorized', 'partially_captured'];

export class PaymentRecords {
  readonly payments = new Map<string, ReferencePayment>();
  readonly operations = new Map<string, Operation>();
  readonly #book: ReferenceBook;

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  payment(name: string): ReferencePayment {
    return this.payments.get(name)!;
  }

  capturesOf(payment: string): Operation[] {
    return this.#of(payment, 'capture').filter(({ status }) => status === 'succeeded');
  }

  allCaptures(): Operation[] {
    return [...this.operations.values()].filter(({ kind, status }) => kind === 'capture' && status === 'succeeded');
  }

  capturable({ status, authorized, captured }: ReferencePayment): bigint {
    return CAPTURABLE.includes(status) ? authorized - captured : 0n;
  }

  refundable({ captured, refunded, refunding, disputed }: ReferencePayment): bigint {
    const left = captured - refunded - refunding - disputed;
    return left > 0n ? left : 0n;
  }

  actions(payment: ReferencePayment): string[] {
    const isFree = payment.pending === null;
    return [
      ...(isFree && CAPTURABLE.includes(payment.status) ? ['capture', 'cancel'] : []),
      ...(isFree && payment.status === 'authorized' ? ['increment'] : []),
      ...(this.refundable(payment) > 0n ? ['refund'] : []),
    ];
  }

  /** Whether a payment or a refund keeps the account open. */
  areUnderWay(account: string): boolean {
    const isOpen = ({ status }: ReferencePayment) => ['processing', ...CAPTURABLE].includes(status);
    const isRefunding = ({ kind, status }: Operation) => kind === 'refund' && status === 'pending';
    const refunding = [...this.operations.values()].filter(isRefunding).map(({ payment }) => payment);
    const own = [...this.payments.values()].filter((payment) => payment.account === account);
    return own.some((payment) => isOpen(payment) || refunding.includes(payment.name));
  }

  begin(payment: string, kind: Operation['kind'], of: Pick<Operation, 'amount' | 'final'>): Operation {
    const name = `${kind} ${this.#of(payment, kind).length + 1} of ${payment}`;
    const rest = { version: 1, fee: 0n, portions: [] as Portion[], isSettled: false, exceptions: new Set<string>() };
    const operation: Operation = { name, payment, kind, status: 'pending', ...of, ...rest };
    this.operations.set(name, operation);
    return operation;
  }

  /** Tells of its new status, or that it was changed. */
  step(payment: ReferencePayment, status: ReferencePayment['status'] | null, entries: number[] = []): void {
    payment.status = status ?? payment.status;
    this.#book.tell(`payment.${status ?? 'updated'}`, payment.name, ++payment.version, entries);
  }

  end(operation: Operation, status: 'succeeded' | 'failed', entries: number[] = []): void {
    operation.status = status;
    operation.version++;
    if (operation.kind === 'refund') this.#book.tell(`refund.${status}`, operation.name, operation.version, entries);
  }

  settleIfPaid(payment: ReferencePayment): void {
    if (payment.status === 'captured' && payment.settled === payment.captured) this.step(payment, 'settled');
  }

  /** Once of each kind. */
  except(operation: Operation, kind: string): void {
    if (operation.exceptions.has(kind)) return;
    operation.exceptions.add(kind);
    this.#book.tell('exception.opened', `exception of ${operation.payment}`, 1);
  }

  /** The account that gives or gets a portion. */
  accountOf({ account, currency }: ReferencePayment, share: Share | null): string {
    return share === null ? account : this.#book.chart('merchant_pending', currency);
  }

  post({ name: resource }: Operation, step: string, movements: Movement[]): number {
    return surely(this.#book.post({ resource, step, movements }));
  }

  #of(payment: string, kind: Operation['kind']): Operation[] {
    return [...this.operations.values()].filter((one) => one.payment === payment && one.kind === kind);
  }
}
