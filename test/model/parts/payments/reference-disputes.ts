/** The reference's disputes: what the acquirer tells of them, by the rules of the API reference alone. */
import type { ReferenceBook } from '../../reference-book.ts';
import type { Movement, Said } from '../../reference-ledger.ts';
import { PaymentRecords, type ReferencePayment } from './records.ts';
import { DISPUTE_FEE } from './reference-fees.ts';
import { type Portion, ReferenceShares, surely, tellArrival } from './reference-shares.ts';

export type DisputeWord = 'inquiry' | 'chargeback' | 'won' | 'lost';

export interface TellDispute {
  readonly payment: string;
  readonly word: DisputeWord;
  /** Null: all that is captured and not disputed. */
  readonly amount: bigint | null;
  /** The acquirer's own id of the dispute. */
  readonly reference: string;
  /** When the acquirer made the notice: what is told again has an earlier time than what came since. */
  readonly toldAt: number;
  /** Whether one that is won gives the fee back: the configuration as it is then. */
  readonly feeRefunded: boolean;
}

export interface ReferenceDispute {
  readonly name: string;
  readonly payment: string;
  readonly reference: string;
  readonly toldAt: number;
  /** It follows another one of the same id. */
  readonly follows: boolean;
  readonly stage: 'inquiry' | 'chargeback';
  readonly amount: bigint;
  readonly fee: bigint;
  feeRefunded: bigint;
  /** Where it took its money. */
  portions: readonly Portion[];
  status: 'opened' | 'won' | 'lost';
  version: number;
  /** What of it the acquirer has put into a report. */
  readonly reported: Set<'dispute' | 'dispute_won'>;
  /** What of it a report has settled. */
  readonly settled: Set<'dispute' | 'dispute_won'>;
}

export class ReferenceDisputes {
  readonly all: ReferenceDispute[] = [];
  readonly #book: ReferenceBook;
  readonly #told = new Set<string>();

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  areOpen(account: string): boolean {
    const { payments } = this.#book.of(PaymentRecords);
    return this.all.some(({ status, payment }) => status === 'opened' && payments.get(payment)!.account === account);
  }

  tell(told: TellDispute, id: string): Said {
    const payment = this.#book.of(PaymentRecords).payment(told.payment);
    if (this.#isTooEarly(payment, told)) return { status: 0, resource: 'too early' };
    if (!this.#told.has(id)) {
      this.#told.add(id);
      if (told.word === 'inquiry' || told.word === 'chargeback') this.#open(payment, told, told.word);
      else this.#decide(payment, told, told.word);
    }
    return { status: 0, resource: 'taken in' };
  }

  /** What it is about may be under way. */
  #isTooEarly({ pending, captured, disputed }: ReferencePayment, { word, amount }: TellDispute): boolean {
    if (word === 'won' || word === 'lost' || pending === null) return false;
    return captured === 0n || (amount ?? 0n) > captured - disputed;
  }

  #open(payment: ReferencePayment, told: TellDispute, stage: 'inquiry' | 'chargeback'): void {
    const known = this.#known(told);
    if (known && isToldAgain(known, told, stage)) return;
    const room = payment.captured - payment.disputed;
    const asked = told.amount ?? room;
    if (asked > room) this.#except(payment.name);
    const amount = asked < room ? asked : room;
    if (amount === 0n) return;
    const refunded = payment.refunded + payment.refunding;
    const number = this.all.filter((dispute) => dispute.payment === payment.name).length + 1;
    const dispute: ReferenceDispute = {
      ...{
        name: `dispute ${number} of ${payment.name}`,
        payment: payment.name,
        reference: told.reference,
        toldAt: told.toldAt,
        follows: known !== undefined,
        stage,
        amount,
      },
      ...{
        fee: stage === 'chargeback' ? DISPUTE_FEE : 0n,
        feeRefunded: 0n,
        status: 'opened',
        version: 1,
        portions: [],
      },
      reported: new Set(),
      settled: new Set(),
    };
    this.all.push(dispute);
    const entries = stage === 'chargeback' ? [this.#take(payment, dispute)] : [];
    this.#book.tell('dispute.opened', dispute.name, 1, entries);
    if (known) {
      if (known.status === 'opened') known.status = 'lost';
      this.#book.tell('dispute.escalated', known.name, ++known.version);
    }
    if (stage === 'inquiry') return;
    if (refunded + amount > room) this.#except(dispute.name);
    if (this.#book.accounts.get(payment.account)!.status === 'closed') this.#except(dispute.name);
  }

  /** The sources of a refund, and the customer for the rest, below the floor if need be. */
  #take(payment: ReferencePayment, dispute: ReferenceDispute): number {
    const { account, currency } = payment;
    const records = this.#book.of(PaymentRecords);
    const shares = this.#book.of(ReferenceShares);
    const available = this.#book.available(account) + this.#book.accounts.get(account)!.overdraft!;
    const captures = records.capturesOf(payment.name);
    const plan = shares.plan(dispute.amount + dispute.fee, { account, captures, available });
    const portions = plan.missing > 0n ? owing(plan.portions, plan.missing) : plan.portions;
    const [acquirer, operator] = [this.#book.chart('acquirer', currency), this.#book.chart('due_operator', currency)];
    let left = dispute.amount;
    const movements = portions.flatMap(({ share, amount }): Movement[] => {
      const source = records.accountOf(payment, share);
      const taken = amount < left ? amount : left;
      left -= taken;
      return [
        { debit: source, credit: acquirer, amount: taken },
        { debit: source, credit: operator, amount: amount - taken },
      ];
    });
    const may = { forced: true, frozen: true, closed: true } as const;
    const entry = surely(this.#book.post({ resource: dispute.name, step: 'taken', movements }, may));
    shares.take(portions);
    dispute.portions = portions;
    payment.disputed += dispute.amount;
    payment.version++;
    return entry;
  }

  #decide(payment: ReferencePayment, told: TellDispute, word: 'won' | 'lost'): void {
    const known = this.#known(told);
    if (!known) this.#except(payment.name);
    else if (known.follows && told.toldAt < known.toldAt) return;
    else if (known.status !== 'opened') {
      if (known.status !== word) this.#except(known.name);
    } else if (word === 'won' && told.amount !== null && told.amount !== known.amount) this.#except(known.name);
    else if (word === 'lost' || known.stage === 'inquiry') this.#end(known, word);
    else this.#giveBack(payment, known, told.feeRefunded);
  }

  #giveBack(payment: ReferencePayment, dispute: ReferenceDispute, feeRefunded: boolean): void {
    const { account, currency } = payment;
    const records = this.#book.of(PaymentRecords);
    const shares = this.#book.of(ReferenceShares);
    dispute.feeRefunded = feeRefunded ? dispute.fee : 0n;
    const [acquirer, operator] = [this.#book.chart('acquirer', currency), this.#book.chart('due_operator', currency)];
    // The amount was taken first, then the fee: so each portion gives back what it gave for either.
    let left = dispute.amount;
    const movements = dispute.portions.flatMap((portion) => {
      const disputed = portion.amount < left ? portion.amount : left;
      left -= disputed;
      const fee = feeRefunded ? portion.amount - disputed : 0n;
      const parts = [
        { debit: acquirer, part: disputed },
        { debit: operator, part: fee },
      ];
      return parts
        .filter(({ part }) => part > 0n)
        .flatMap(({ debit, part }) =>
          shares
            .giveBack(portion, part, records.allCaptures())
            .map(({ share, amount }) => ({ debit, credit: records.accountOf(payment, share), amount })),
        );
    });
    const may = { frozen: true, closed: dispute.name };
    const entry = surely(this.#book.post({ resource: dispute.name, step: 'won', movements }, may));
    payment.disputed -= dispute.amount;
    payment.version++;
    this.#end(dispute, 'won', [entry]);
    if (movements.some(({ credit }) => credit === account)) tellArrival(this.#book, account, entry);
  }

  #end(dispute: ReferenceDispute, status: 'won' | 'lost', entries: number[] = []): void {
    dispute.status = status;
    this.#book.tell(`dispute.${status}`, dispute.name, ++dispute.version, entries);
  }

  /** The payment's latest that the acquirer knows by the same id. */
  #known({ payment, reference }: TellDispute): ReferenceDispute | undefined {
    return this.all.findLast((dispute) => dispute.payment === payment && dispute.reference === reference);
  }

  #except(name: string): void {
    this.#book.tell('exception.opened', `exception of ${name}`, 1);
  }
}

/** Of what is open in other words, of what has ended in the same, or of the inquiry of a chargeback. */
function isToldAgain(known: ReferenceDispute, { toldAt }: TellDispute, stage: ReferenceDispute['stage']): boolean {
  if (known.stage !== stage) return stage === 'inquiry';
  return known.status === 'opened' || toldAt <= known.toldAt;
}

function owing(portions: readonly Portion[], missing: bigint): Portion[] {
  const known = portions.find(({ share }) => share === null);
  const rest = portions.filter(({ share }) => share !== null);
  return [...rest, { share: null, amount: (known?.amount ?? 0n) + missing }];
}
