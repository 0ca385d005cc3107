/** The reference's settlements: what a report of the acquirer moves, by the rules of the API reference alone. */
import type { ReferenceBook } from '../../reference-book.ts';
import type { Said } from '../../reference-ledger.ts';
import { PaymentRecords } from './records.ts';
import { type ReferenceDispute, ReferenceDisputes } from './reference-disputes.ts';
import { DAY_MS, least, type Portion, ReferenceShares, type Share, surely } from './reference-shares.ts';

export interface ReferenceLine {
  readonly type: 'capture' | 'refund' | 'refund_failed' | 'dispute' | 'dispute_won';
  /** Of an operation. Null: nothing that this book knows. */
  readonly about: string | null;
  readonly gross: bigint;
}

export interface Settle {
  readonly currency: string;
  readonly lines: readonly ReferenceLine[];
}

export class ReferenceSettlements {
  readonly #book: ReferenceBook;
  readonly #answers = new Map<string, Said>();

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  /** A report that is taken in again changes nothing. */
  settle(asked: Settle, id: string): Said {
    const said = this.#answers.get(id) ?? this.#settle(asked);
    this.#answers.set(id, said);
    return said;
  }

  #settle({ currency, lines }: Settle): Said {
    const name = `settlement ${this.#answers.size + 1}`;
    const direct = new Map<string, Share>();
    const booked = lines.filter((line) => {
      const isBooked = this.#isBooked(line);
      if (isBooked) this.#bookLine(line, direct);
      else this.#book.tell('exception.opened', `exception of ${name}`, 1);
      return isBooked;
    });
    const net = booked.reduce((sum, { gross }) => sum + gross, 0n);
    const [pool, acquirer] = [this.#book.chart('pool', currency), this.#book.chart('acquirer', currency)];
    const movement =
      net > 0n ? { debit: pool, credit: acquirer, amount: net } : { debit: acquirer, credit: pool, amount: -net };
    const entries =
      net === 0n ? [] : [surely(this.#book.post({ resource: name, step: 'settled_from_1', movements: [movement] }))];
    this.#book.tell('settlement.received', name, 1);
    this.#book.tell('settlement.completed', name, 2, entries);
    for (const share of direct.values()) this.#book.of(ReferenceShares).release(share);
    return { status: 0, resource: `${lines.length - booked.length} of ${lines.length} left to people, ${net} booked` };
  }

  #isBooked({ type, about, gross }: ReferenceLine): boolean {
    const records = this.#book.of(PaymentRecords);
    const operation = about === null ? undefined : records.operations.get(about);
    if (!operation) return false;
    const size = gross < 0n ? -gross : gross;
    const { kind, status, isSettled, amount, payment } = operation;
    switch (type) {
      case 'capture':
      case 'refund':
        return kind === type && !isSettled && status === 'succeeded' && size === amount;
      case 'refund_failed':
        return kind === 'refund' && isSettled && status === 'failed' && size === amount;
      default:
        return kind === 'authorize' && this.#disputeOf(type, payment, size) !== undefined;
    }
  }

  /** The payment's earliest chargeback of this amount that no line has settled so; one that gives back was won. */
  #disputeOf(type: 'dispute' | 'dispute_won', payment: string, amount: bigint): ReferenceDispute | undefined {
    return this.#book
      .of(ReferenceDisputes)
      .all.find(
        (dispute) =>
          dispute.payment === payment &&
          dispute.stage === 'chargeback' &&
          dispute.amount === amount &&
          !dispute.settled.has(type) &&
          (type === 'dispute' || dispute.status === 'won'),
      );
  }

  #bookLine({ type, about, gross }: ReferenceLine, direct: Map<string, Share>): void {
    const records = this.#book.of(PaymentRecords);
    const operation = records.operations.get(about!)!;
    if (type === 'dispute' || type === 'dispute_won') {
      this.#disputeOf(type, operation.payment, gross < 0n ? -gross : gross)!.settled.add(type);
      return;
    }
    operation.version++;
    if (type !== 'capture') {
      operation.isSettled = type === 'refund';
      return;
    }
    const payment = records.payment(operation.payment);
    const isWhole = payment.settled + operation.amount === payment.captured;
    operation.portions = operation.portions.flatMap((portion) => this.#move(portion, direct));
    operation.isSettled = true;
    payment.settled += operation.amount;
    const isEnd = isWhole && payment.status === 'captured';
    if (isEnd) records.step(payment, 'settled');
    else payment.version++;
  }

  /** What waits is released on its day, or, when that is over, with all that this report settles for the account. */
  #move(portion: Portion, direct: Map<string, Share>): Portion[] {
    const shares = this.#book.of(ReferenceShares);
    const { share } = portion;
    if (share?.kind !== 'waiting') return [portion];
    const amount = least(share.amount, portion.amount);
    if (amount <= 0n) return [];
    share.amount -= amount;
    const { account, currency, day } = share;
    let target: Share;
    if (day * DAY_MS > this.#book.moment) target = shares.open({ account, currency, day, kind: 'ready' });
    else target = direct.get(account) ?? shares.openDirect({ account, currency });
    if (target.isDirect) direct.set(account, target);
    target.amount += amount;
    return [{ share: target, amount }];
  }
}
