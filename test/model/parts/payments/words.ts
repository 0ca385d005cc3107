/** The reference's payments: what the acquirer says of an operation, and what is booked for it. */
import type { ReferenceBook } from '../../reference-book.ts';
import type { Movement, Said } from '../../reference-ledger.ts';
import { type Operation, PaymentRecords, type ReferencePayment } from './records.ts';
import { feeOfTotal } from './reference-fees.ts';
import { ReferenceShares, surely } from './reference-shares.ts';

export type Word = 'succeeded' | 'declined' | 'pending' | 'unknown' | 'another amount' | 'failed late';

/** The configuration as it is when a word is taken in. */
export interface Settings {
  readonly releaseDays: number;
  readonly onceSettled: boolean;
  readonly authorizationMs: number;
}

export interface Say {
  readonly operation: string;
  readonly word: Word;
  readonly settings: Settings;
}

export class AcquirerWords {
  readonly #book: ReferenceBook;
  readonly #records: PaymentRecords;
  /** Ids of words that were taken in. */
  readonly #told = new Set<string>();

  constructor(book: ReferenceBook) {
    this.#book = book;
    this.#records = book.of(PaymentRecords);
  }

  say({ operation: name, word, settings }: Say, id: string): Said {
    const operation = this.#records.operations.get(name)!;
    const isLate = word === 'failed late';
    // Before it has succeeded, nothing is made of it: the acquirer tells it again.
    const isTooEarly = isLate && operation.status === 'pending';
    if (!isTooEarly && !this.#told.has(id)) {
      this.#told.add(id);
      this.#take(operation, isLate ? 'declined' : word, settings);
    }
    return { status: 0, resource: name };
  }

  #take(operation: Operation, word: Exclude<Word, 'failed late'>, settings: Settings): void {
    if (word === 'another amount') this.#records.except(operation, word);
    const isDoubted = operation.exceptions.has('another amount');
    if (operation.status !== 'pending') this.#contradict(operation, word);
    else if (word === 'succeeded') this.#succeed(operation, settings);
    else if (word === 'declined' && !isDoubted) this.#fail(operation);
    else this.#wait(operation);
  }

  #succeed(operation: Operation, settings: Settings): void {
    const payment = this.#records.payment(operation.payment);
    const { amount, kind, final } = operation;
    if (kind === 'refund') {
      this.#refunded(payment, operation);
      return;
    }
    payment.pending = null;
    if (kind === 'capture') this.#capture(payment, operation, settings);
    else if (kind === 'increment') {
      payment.authorized = amount;
      this.#records.step(payment, null);
    } else if (kind === 'void') {
      payment.expiresAt = null;
      this.#records.step(payment, payment.captured > 0n ? 'captured' : 'canceled');
      this.#records.settleIfPaid(payment);
    } else if (final) {
      payment.authorized = amount;
      const capture = this.#records.begin(payment.name, 'capture', { amount, final });
      capture.status = 'succeeded';
      this.#capture(payment, capture, settings);
    } else {
      payment.authorized = amount;
      payment.expiresAt = this.#book.moment + settings.authorizationMs;
      this.#records.step(payment, 'authorized');
    }
    this.#records.end(operation, 'succeeded');
  }

  #refunded(payment: ReferencePayment, refund: Operation): void {
    const { amount } = refund;
    const [debit, credit] = [this.#chart('refunds_in_transit', payment), this.#chart('acquirer', payment)];
    const entry = this.#records.post(refund, 'succeeded', [{ debit, credit, amount }]);
    payment.refunding -= amount;
    payment.refunded += amount;
    payment.version++;
    this.#records.end(refund, 'succeeded', [entry]);
  }

  #capture(payment: ReferencePayment, operation: Operation, { releaseDays: days, onceSettled }: Settings): void {
    const { account, currency } = payment;
    const { amount } = operation;
    const fee = feeOfTotal(payment.captured + amount) - feeOfTotal(payment.captured);
    const pending = this.#chart('merchant_pending', payment);
    const entry = this.#records.post(operation, 'captured', [
      { debit: this.#chart('acquirer', payment), credit: pending, amount },
      { debit: pending, credit: this.#chart('due_operator', payment), amount: fee },
    ]);
    const kind = onceSettled ? 'waiting' : 'ready';
    const share = this.#book.of(ReferenceShares).earn({ account, currency, days, kind }, amount - fee);
    Object.assign(operation, { fee, portions: [{ share, amount: amount - fee }] });
    payment.captured += amount;
    payment.fee += fee;
    payment.day = share.day;
    const ends = operation.final || payment.captured === payment.authorized;
    if (ends) payment.expiresAt = null;
    this.#records.step(payment, ends ? 'captured' : 'partially_captured', [entry]);
  }

  #fail(operation: Operation): void {
    const payment = this.#records.payment(operation.payment);
    if (operation.kind === 'refund') {
      payment.refunding -= operation.amount;
      this.#giveBack(payment, operation, { from: 'refunds_in_transit', step: 'failed' });
      return;
    }
    payment.pending = null;
    this.#records.step(payment, operation.kind === 'authorize' ? 'failed' : null);
    this.#records.end(operation, 'failed');
  }

  /** Back to where it came from, and the fee to the operator. */
  #giveBack(payment: ReferencePayment, refund: Operation, { from, step }: { from: string; step: string }): void {
    const shares = this.#book.of(ReferenceShares);
    const [source, operator] = [this.#chart(from, payment), this.#chart('due_operator', payment)];
    let fee = refund.fee;
    const movements: Movement[] = [];
    const captures = this.#records.allCaptures();
    for (const portion of refund.portions)
      for (const { share, amount } of shares.giveBack(portion, portion.amount, captures)) {
        const target = this.#records.accountOf(payment, share);
        movements.push({ debit: source, credit: target, amount: amount + fee });
        movements.push({ debit: target, credit: operator, amount: fee });
        fee = 0n;
      }
    if (movements.length === 0) movements.push({ debit: source, credit: operator, amount: fee });
    const may = { closed: refund.name, frozen: true, forced: true };
    const entry = surely(this.#book.post({ resource: refund.name, step, movements }, may));
    payment.fee += refund.fee;
    payment.feeRefunded -= refund.fee;
    payment.version++;
    refund.fee = 0n;
    this.#records.end(refund, 'failed', [entry]);
  }

  /** A word about what has ended: a refund may fail late, everything else that differs is for a person. */
  #contradict(operation: Operation, word: Word): void {
    const says = word === 'succeeded' ? 'succeeded' : word === 'declined' ? 'failed' : undefined;
    if (says === undefined || says === operation.status) return;
    if (operation.kind === 'refund' && says === 'failed') {
      const payment = this.#records.payment(operation.payment);
      payment.refunded -= operation.amount;
      this.#giveBack(payment, operation, { from: 'acquirer', step: 'failed_late' });
    } else this.#records.except(operation, `${says} after ${operation.status}`);
  }

  #wait(operation: Operation): void {
    const payment = this.#records.payment(operation.payment);
    if (payment.pending === operation.name) payment.version++;
    operation.version++;
  }

  #chart(code: string, { currency }: ReferencePayment): string {
    return this.#book.chart(code, currency);
  }
}
