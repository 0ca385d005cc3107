/** The reference's purchases: what becomes of each message, by the golden scenarios and the API reference alone. */
import type { ReferenceBook } from '../../reference-book.ts';
import { type Movement, refused, type Said } from '../../reference-ledger.ts';
import {
  atLeastZero,
  isClearing,
  isFinal,
  isSingle,
  isTakingBack,
  type Recorded,
  type Sent,
  type Sums,
  standing,
  sumUp,
} from './purchase-sums.ts';
import { type ReferenceCard, ReferenceCards } from './reference-cards.ts';

export interface SendMessage {
  /** The network reference. */
  readonly net: string;
  readonly card: string;
  readonly merchant: Merchant;
  readonly reference: string;
  readonly sent: Sent;
  /** The card's open purchases are looked at: nothing was authorized when it was sent. */
  readonly isForced: boolean;
}

export type Merchant = 'grocer' | 'restaurant' | 'cash machine';

export interface ReferencePurchase {
  readonly net: string;
  readonly card: string;
  readonly account: string;
  readonly merchant: Merchant;
  /** Pinned: what cash costs. */
  readonly hasFee: boolean;
  readonly messages: Recorded[];
  readonly flags: Set<string>;
  readonly holds: string[];
  lastsUntil: number;
  expiresAt: number | null;
  resembles: string | null;
  decision: string | null;
  /** It has used something of limits, or given something back. */
  hasCounted: boolean;
  version: number;
}

const DAY_MS = 24 * 60 * 60_000;
/** What may clear above the authorization, in per cent. */
const TOLERANCE: Readonly<Record<Merchant, bigint>> = { grocer: 0n, restaurant: 20n, 'cash machine': 0n };

export class ReferencePurchases {
  readonly #book: ReferenceBook;
  readonly all = new Map<string, ReferencePurchase>();

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  sums(net: string): Sums {
    return sumUp(this.all.get(net)!.messages);
  }

  areOpen(account: string): boolean {
    return [...this.all.values()].some((one) => one.account === account && this.sums(one.net).held > 0n);
  }

  feeBooked(purchase: ReferencePurchase): bigint {
    return feeOf(purchase, sumUp(purchase.messages).standing);
  }

  /** For the count of what a run has met. */
  stateOf(net: string): string {
    const { status, isClosed } = this.sums(net);
    return isClosed ? `${status} for good` : status;
  }

  feeHeld(purchase: ReferencePurchase): bigint {
    const { standing: stands, held } = sumUp(purchase.messages);
    return feeOf(purchase, stands + held) - feeOf(purchase, stands);
  }

  send(asked: SendMessage): Said {
    const known = this.all.get(asked.net);
    if (known && known.card !== asked.card) return refused('state_conflict');
    const isOver = known !== undefined && this.#isOver(known);
    if (asked.sent.type === 'expiry' && (!known || isOver || this.sums(asked.net).held === 0n))
      return refused('state_conflict');
    if (isOver) this.#expire(known);
    const purchase = known ?? this.#begin(asked);
    const card = this.#book.of(ReferenceCards).card(asked.card);
    const { reference, sent } = asked;
    const message = { reference, sent, ...this.#decide(purchase, card, sent) };
    this.#record(purchase, message);
    if (message.approved > 0n) this.#book.of(ReferenceCards).use(card);
    return { status: 200, resource: asked.net };
  }

  expireAll(nets: readonly string[]): Said {
    const over = nets.map((net) => this.all.get(net)!).filter((purchase) => this.#isOver(purchase));
    for (const purchase of over) this.#expire(purchase);
    return { status: 0, resource: `${over.length} expired` };
  }

  #isOver({ expiresAt }: ReferencePurchase): boolean {
    return expiresAt !== null && expiresAt <= this.#book.moment;
  }

  /** Of what is closed, only reversals of what has not come are still open. */
  #expire(purchase: ReferencePurchase): void {
    const { held, awaited } = sumUp(purchase.messages);
    const reference = `expiry ${purchase.messages.length + 1} of ${purchase.net}`;
    if (held > 0n) {
      this.#record(purchase, { reference, sent: { type: 'expiry' }, approved: 0n, declined: null });
      return;
    }
    purchase.expiresAt = null;
    if (awaited.length > 0) this.#tellException(purchase);
  }

  #begin({ net, card, merchant }: SendMessage): ReferencePurchase {
    const cards = this.#book.of(ReferenceCards);
    const purchase: ReferencePurchase = {
      ...{ net, card, merchant, account: cards.card(card).account, hasFee: cards.terms.fee },
      ...{ messages: [], flags: new Set(), holds: [], lastsUntil: 0, expiresAt: null },
      ...{ resembles: null, decision: null, hasCounted: false, version: 0 },
    };
    this.all.set(net, purchase);
    return purchase;
  }

  #decide(purchase: ReferencePurchase, card: ReferenceCard, sent: Sent): Pick<Recorded, 'approved' | 'declined'> {
    if (sent.type === 'stand-in') {
      purchase.decision = sent.isApproved ? `approved ${sent.amount}` : 'declined 0';
      return { approved: sent.isApproved ? sent.amount : 0n, declined: null };
    }
    if (sent.type !== 'authorization' && sent.type !== 'increment') return { approved: 0n, declined: null };
    const approved = this.#fundedOf(purchase, sent);
    const declined = this.#refusalOf(purchase, card, sent.amount) ?? (approved === 0n ? 'insufficient_funds' : null);
    purchase.decision = declined === null ? `approved ${approved}` : `declined ${declined}`;
    return { approved: declined === null ? approved : 0n, declined };
  }

  #refusalOf({ messages, account }: ReferencePurchase, { status }: ReferenceCard, amount: bigint): string | null {
    const { authorized, reversed, isReversedWhole, isEnded, isClosed } = sumUp(messages);
    if (isReversedWhole && authorized === 0n) return 'already_reversed';
    // Reversals came before what they take back.
    const isAhead = reversed > authorized;
    if (isAhead && amount <= reversed - authorized) return 'already_reversed';
    if (isAhead ? isEnded : isClosed) return 'authorization_closed';
    if (status === 'closed') return 'card_closed';
    if (status === 'frozen') return 'card_frozen';
    const known = this.#book.accounts.get(account)!;
    return known.status === 'open' ? null : `account_${known.status}`;
  }

  /** The whole, or the largest part that is covered with its fee; nothing otherwise. */
  #fundedOf(purchase: ReferencePurchase, { amount, partial }: { amount: bigint; partial: boolean }): bigint {
    const { standing: stands, held } = sumUp(purchase.messages);
    const fee = (of: bigint) => feeOf(purchase, stands + held + of) - feeOf(purchase, stands + held);
    for (let part = amount; part > 0n; part--) {
      if (this.#book.covers(purchase.account, part + fee(part))) return part;
      if (!partial) return 0n;
    }
    return 0n;
  }

  #record(purchase: ReferencePurchase, message: Recorded): void {
    const book = this.#book;
    const { account, messages, net } = purchase;
    const known = [...messages];
    const before = sumUp(known);
    const owner = book.accounts.get(account)!;
    const posted = book.posted(account);
    const heldBefore = before.held + this.feeHeld(purchase);
    const stages = stagesOf(known, message).map((stage) => ({ ...stage, movements: this.#movements(purchase, stage) }));
    const booked = stages.filter(({ movements }) => movements.length > 0);
    messages.push(message);
    const after = sumUp(messages);
    const heldChange = after.held + this.feeHeld(purchase) - heldBefore;
    this.#takeHold(purchase, -heldChange, { outflow: outflowOf(account, booked[0]?.movements ?? []), message });
    const exception = this.#exceptionOf(purchase, { known, message, before, after, isPosted: booked.length > 0 });
    let isTold = exception === null;
    const entries = new Map<string, number>();
    for (const { message: of, movements } of booked) {
      const step = eventOf(of, messages, before)!;
      const entry = book.post(
        { resource: `message ${of.reference}`, step, movements },
        { forced: true, frozen: true, closed: net },
      );
      if (typeof entry === 'string') throw new Error(`Nothing refuses what the network decided: ${entry}`);
      entries.set(of.reference, entry);
      const isLeft = owner.status === 'closed' && book.posted(account) > 0n;
      isTold ||= exception === 'refund_account_closed' && isLeft;
    }
    if (!isTold) this.#tellException(purchase);
    this.#raiseHold(purchase, heldChange);
    const change = { posted: book.posted(account) - posted, held: heldChange, isPosted: booked.length > 0 };
    purchase.hasCounted ||= after.standing + after.held > 0n || after.refunded > 0n;
    this.#flag(purchase, { message, before, after, change });
    this.#resemble(purchase, message, before);
    this.#lengthen(purchase, { known, message, before, after });
    this.#tell(purchase, stages, { entries, before });
  }

  #movements({ account, merchant, hasFee }: ReferencePurchase, { from, to }: Stage): Movement[] {
    const { currency } = this.#book.accounts.get(account)!;
    const scheme = this.#book.chart('scheme_settlement', currency);
    const operator = this.#book.chart('due_operator', currency);
    const fee = (of: Sums) => feeOf({ merchant, hasFee }, of.standing);
    return [
      ...moved(account, scheme, to.standing - from.standing),
      ...moved(scheme, account, to.refunded - from.refunded),
      ...moved(account, operator, fee(to) - fee(from)),
    ];
  }

  /** What is cleared is captured, the rest is released. */
  #takeHold({ holds }: ReferencePurchase, less: bigint, { outflow, message }: { outflow: bigint; message: Recorded }) {
    if (less <= 0n) return;
    const hold = holds.at(-1)!;
    const captured = outflow < less ? outflow : less;
    this.#book.take(hold, 'captured', captured);
    this.#book.take(hold, message.sent.type === 'expiry' ? 'expired' : 'released', less - captured);
  }

  /** A hold that has ended is followed by another. */
  #raiseHold({ holds, account, net }: ReferencePurchase, more: bigint): void {
    if (more <= 0n) return;
    const last = holds.at(-1);
    if (last !== undefined && this.#book.left(last) > 0n) {
      this.#book.increase(last, more, { forced: true });
      return;
    }
    const name = `held ${holds.length + 1} of ${net}`;
    holds.push(name);
    this.#book.hold(name, { account, amount: more, forced: true });
  }

  #exceptionOf(
    { account, merchant }: ReferencePurchase,
    { known, message, before, after, isPosted }: Step & { isPosted: boolean },
  ): string | null {
    const { sent } = message;
    if (this.#book.accounts.get(account)!.status === 'closed' && isPosted) {
      const isDebit = sent.type === 'clearing' || after.standing > before.standing || after.refunded < before.refunded;
      return isDebit ? 'clearing_account_closed' : 'refund_account_closed';
    }
    if (sent.type === 'clearing') {
      if (isRepeated(message, known)) return 'clearing_repeated';
      if (before.isDeclined) return 'clearing_after_decline';
      if (isReversed(before)) return 'clearing_after_reversal';
      const most = (atLeastZero(after.authorized - after.reversed) * (100n + TOLERANCE[merchant])) / 100n;
      return after.authorized > 0n && after.standing > most ? 'clearing_exceeds_authorization' : null;
    }
    const isBought = after.authorized > 0n || after.cleared > 0n;
    if (sent.type === 'refund' && isBought && after.refunded > after.standing) return 'refund_exceeds_cleared';
    return sent.type === 'expiry' && before.awaited.length > 0 ? 'reversal_unmatched' : null;
  }

  #flag(
    purchase: ReferencePurchase,
    { message, before, after, change }: Omit<Step, 'known'> & { change: Change },
  ): void {
    const { account, flags } = purchase;
    const { sent } = message;
    const owner = this.#book.accounts.get(account)!;
    const takes = change.posted < 0n || change.held > 0n;
    const flag = (name: string, is: boolean) => is && flags.add(name);
    flag('forced', sent.type === 'clearing' && before.authorized === 0n);
    flag('late', sent.type === 'clearing' && (before.isEndedEarly || isReversed(before)));
    flag('unmatched', sent.type === 'refund' && before.authorized === 0n && before.cleared === 0n);
    flag('stand_in', sent.type === 'stand-in');
    const most = atLeastZero(after.authorized - after.reversed);
    flag('over_cleared', sent.type === 'clearing' && after.authorized > 0n && after.standing > most);
    flag('below_floor', takes && !this.#book.covers(account, 0n));
    flag(`account_${owner.status}`, owner.status !== 'open' && (change.isPosted || change.held > 0n));
  }

  /** The one other purchase of the card at the merchant that holds just as much. */
  #resemble(purchase: ReferencePurchase, { sent }: Recorded, before: Sums): void {
    if (sent.type !== 'clearing' || before.authorized > 0n) return;
    const alike = [...this.all.values()].filter(
      (other) =>
        other !== purchase &&
        other.card === purchase.card &&
        other.merchant === purchase.merchant &&
        sumUp(other.messages).held === sent.amount,
    );
    if (alike.length === 1) purchase.resembles ??= alike[0]!.net;
  }

  #lengthen(purchase: ReferencePurchase, { known, message, before, after }: Step): void {
    const { moment } = this.#book;
    const isApproved = message.approved > 0n;
    const isAnew = isApproved && (message.sent.type === 'increment' || known.every(({ approved }) => approved === 0n));
    const waits = after.awaited.length > before.awaited.length && purchase.lastsUntil <= moment;
    if (known.length === 0 || isAnew || waits)
      purchase.lastsUntil = moment + this.#book.of(ReferenceCards).terms.days * DAY_MS;
    const isAwaited = after.awaited.length > 0 && message.sent.type !== 'expiry' && purchase.lastsUntil > moment;
    purchase.expiresAt = after.held > 0n || isAwaited ? purchase.lastsUntil : null;
  }

  /** One event a message; a reversal that waits has its own once it is booked. */
  #tell(
    purchase: ReferencePurchase,
    stages: readonly Stage[],
    { entries, before }: { entries: ReadonlyMap<string, number>; before: Sums },
  ): void {
    purchase.version++;
    let isFirst = true;
    for (const { message } of stages) {
      const entry = entries.get(message.reference);
      const name = eventOf(message, purchase.messages, before);
      const isWaited = message !== stages[0]!.message;
      if (name === null || (isWaited && entry === undefined)) continue;
      if (!isFirst) purchase.version++;
      isFirst = false;
      this.#book.tell(`transaction.${name}`, purchase.net, purchase.version, entry === undefined ? [] : [entry]);
    }
  }

  #tellException({ net }: ReferencePurchase): void {
    this.#book.tell('exception.opened', `exception of ${net}`, 1);
  }
}

/** A message, and what it changes. */
interface Step {
  readonly known: readonly Recorded[];
  readonly message: Recorded;
  readonly before: Sums;
  readonly after: Sums;
}

interface Change {
  readonly posted: bigint;
  readonly held: bigint;
  readonly isPosted: boolean;
}

interface Stage {
  readonly message: Recorded;
  readonly from: Sums;
  readonly to: Sums;
}

/** The message alone, then each reversal that waited for it. */
function stagesOf(known: readonly Recorded[], message: Recorded): Stage[] {
  const isPosting = message.sent.type === 'clearing' || message.sent.type === 'refund' || isSingle(message);
  const waited = known.filter((one) => isPosting && isTakingBack(one) && one.sent.reverses === message.reference);
  let own = known.filter((one) => !waited.includes(one));
  return [message, ...waited].map((stage) => {
    const from = sumUp(own);
    own = [...own, stage];
    return { message: stage, from, to: sumUp(own) };
  });
}

function eventOf({ sent, declined, reference }: Recorded, all: readonly Recorded[], before: Sums): string | null {
  switch (sent.type) {
    case 'authorization':
      return declined === null ? 'authorized' : 'declined';
    case 'increment':
      return declined === null ? 'incremented' : 'declined';
    case 'reversal':
      return 'reversed';
    case 'clearing':
      return before.authorized === 0n ? 'force_posted' : 'cleared';
    case 'refund':
      return 'refunded';
    case 'stand-in':
      return 'advised';
    case 'expiry':
      return 'expired';
    case 'taking back': {
      const back = all.find((one) => one.reference === sent.reverses && one.reference !== reference);
      if (back?.sent.type === 'refund') return 'refund_reversed';
      return back?.sent.type === 'clearing' || (back && isSingle(back)) ? 'clearing_reversed' : null;
    }
  }
}

function isReversed({ authorized, reversed, isReversedWhole }: Sums): boolean {
  return isReversedWhole || (reversed > 0n && reversed >= authorized);
}

/** The piece of a clearing that stands, or a second whole one of the amount of a first that stands. */
function isRepeated(message: Recorded, known: readonly Recorded[]): boolean {
  if (!isClearing(message) || standing(message, known) === 0n) return false;
  const { piece, amount } = message.sent;
  return known.filter(isClearing).some((one) => {
    if (standing(one, known) === 0n) return false;
    if (typeof piece === 'number' && one.sent.piece === piece) return true;
    return isFinal(message.sent) && isFinal(one.sent) && one.sent.amount === amount;
  });
}

/** Of cash where the program charges it: 30 and one per cent, halves to the even neighbor. */
function feeOf({ merchant, hasFee }: Pick<ReferencePurchase, 'merchant' | 'hasFee'>, amount: bigint): bigint {
  if (merchant !== 'cash machine' || !hasFee || amount === 0n) return 0n;
  const [whole, rest] = [amount / 100n, amount % 100n];
  const isUp = rest > 50n || (rest === 50n && whole % 2n === 1n);
  return 30n + whole + (isUp ? 1n : 0n);
}

function moved(debit: string, credit: string, amount: bigint): Movement[] {
  if (amount === 0n) return [];
  return [amount > 0n ? { debit, credit, amount } : { debit: credit, credit: debit, amount: -amount }];
}

function outflowOf(account: string, movements: readonly Movement[]): bigint {
  let outflow = 0n;
  for (const { debit, credit, amount } of movements) {
    if (debit === account) outflow += amount;
    if (credit === account) outflow -= amount;
  }
  return atLeastZero(outflow);
}
