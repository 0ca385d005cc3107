/** The reference's purchases: what becomes of each message, by the golden scenarios and the API reference alone. */
import type { ReferenceBook } from '../../reference-book.ts';
import { type Movement, refused, type Said } from '../../reference-ledger.ts';
import { type CardDispute, takeBackCredits } from './purchase-disputes.ts';
import { countsFor, evaluate, hasOwnCounter, roomIn, type Situation, type Use } from './purchase-limits.ts';
import {
  type Change,
  eventOf,
  feeOf,
  isRepeated,
  isReversed,
  type Merchant,
  moved,
  outflowOf,
  type Stage,
  type Step,
  stagesOf,
} from './purchase-steps.ts';
import { atLeastZero, type Recorded, type Sent, type Sums, sumUp } from './purchase-sums.ts';
import { type ReferenceCard, ReferenceCards } from './reference-cards.ts';
import { ReferenceControls } from './reference-controls.ts';

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
  /** What controls said of the last decision. */
  rules: readonly string[];
  readonly disputes: CardDispute[];
  /** How many events the book had when it began. */
  readonly begunBehind: number;
  firstUsedAt: number | null;
  version: number;
}

const DAY_MS = 24 * 60 * 60_000;
/** Those that say what kind of purchase it is. */
const HAS_KIND: ReadonlySet<Sent['type']> = new Set([
  ...(['authorization', 'increment', 'stand-in', 'completion', 'clearing'] as const),
]);
/** What may clear above the authorization, in per cent. */
const TOLERANCE: Readonly<Record<Merchant, bigint>> = { grocer: 0n, restaurant: 20n, 'cash machine': 0n };

export class ReferencePurchases {
  readonly #book: ReferenceBook;
  readonly all = new Map<string, ReferencePurchase>();
  /** When each counter was last changed: of `card 1 EUR`, or of a limit by its place, `controls 1 0 EUR`. */
  readonly counted = new Map<string, number>();

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  sums(net: string): Sums {
    return sumUp(this.all.get(net)!.messages);
  }

  areOpen(account: string): boolean {
    return [...this.all.values()].some((one) => one.account === account && this.sums(one.net).held > 0n);
  }

  /** What each purchase in the currency uses up. */
  uses(currency: string): Use[] {
    return [...this.all.values()].map((purchase) => this.#useOf(purchase)).filter((use) => use.currency === currency);
  }

  #useOf({ net, card, account, merchant, messages, firstUsedAt, begunBehind }: ReferencePurchase): Use {
    const { standing, held, refunded } = this.sums(net);
    const isRefund = messages[0]?.sent.type === 'refund' && !messages.some(({ sent }) => HAS_KIND.has(sent.type));
    return {
      ...{ subjects: { card, account, program: 'the book' }, currency: this.#book.accounts.get(account)!.currency },
      ...{ merchant, isRefund, amount: standing + held, refunded, firstUsedAt, begunBehind },
    };
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
      ...{ resembles: null, decision: null, rules: [], disputes: [], version: 0 },
      ...{ begunBehind: this.#book.events.length, firstUsedAt: null },
    };
    this.all.set(net, purchase);
    return purchase;
  }

  #decide(purchase: ReferencePurchase, card: ReferenceCard, sent: Sent): Pick<Recorded, 'approved' | 'declined'> {
    if (sent.type === 'stand-in' || sent.type === 'completion') {
      const isApproved = sent.type === 'completion' || sent.isApproved;
      Object.assign(purchase, { decision: isApproved ? `approved ${sent.amount}` : 'declined 0', rules: [] });
      return { approved: isApproved ? sent.amount : 0n, declined: null };
    }
    if (sent.type !== 'authorization' && sent.type !== 'increment') return { approved: 0n, declined: null };
    const situation = this.#situationOf(purchase);
    const ofWhole = evaluate(situation, sent.amount);
    const refusal = this.#refusalOf(purchase, card, sent);
    const funds = this.#isFunded(purchase, sent.amount) ? null : 'insufficient_funds';
    const declined = refusal ?? ofWhole.code ?? funds;
    const part = declined !== null && refusal === null && sent.partial ? this.#partOf(purchase, situation, sent) : 0n;
    const approved = declined === null ? sent.amount : part;
    purchase.rules = approved > 0n ? evaluate(situation, approved).shown : ofWhole.shown;
    purchase.decision = approved > 0n ? `approved ${approved}` : `declined ${declined}`;
    return { approved, declined: approved > 0n ? null : declined };
  }

  #situationOf(purchase: ReferencePurchase): Situation {
    const own = this.#useOf(purchase);
    const scopes = this.#book.of(ReferenceControls).inForce(own.subjects);
    return { now: this.#book.moment, own, all: this.uses(own.currency), scopes };
  }

  #refusalOf(
    { messages, account }: ReferencePurchase,
    { status }: ReferenceCard,
    { type, amount }: { type: Sent['type']; amount: bigint },
  ): string | null {
    const { authorized, reversed, isReversedWhole, isEnded, isClosed, isCompleted, isUncompleted } = sumUp(messages);
    if (isReversedWhole && authorized === 0n) return 'already_reversed';
    // Reversals came before what they take back.
    const isAhead = reversed > authorized;
    if (isAhead && amount <= reversed - authorized) return 'already_reversed';
    if (isAhead ? isEnded : isClosed) return 'authorization_closed';
    // A completion counts alone; the authorization that it completes may come behind it.
    if (isCompleted && (type === 'increment' || isUncompleted)) return 'authorization_closed';
    if (status === 'closed') return 'card_closed';
    if (status === 'frozen') return 'card_frozen';
    const known = this.#book.accounts.get(account)!;
    return known.status === 'open' ? null : `account_${known.status}`;
  }

  /** The largest part that limits leave and that is covered with its fee; nothing where a rule declines it as well. */
  #partOf(purchase: ReferencePurchase, situation: Situation, { amount }: { amount: bigint }): bigint {
    const room = roomIn(situation) ?? amount;
    for (let part = room < amount ? room : amount; part > 0n; part--)
      if (this.#isFunded(purchase, part)) return evaluate(situation, part).code === null ? part : 0n;
    return 0n;
  }

  #isFunded(purchase: ReferencePurchase, amount: bigint): boolean {
    const { standing, held } = sumUp(purchase.messages);
    const fee = feeOf(purchase, standing + held + amount) - feeOf(purchase, standing + held);
    return this.#book.covers(purchase.account, amount + fee);
  }

  #record(purchase: ReferencePurchase, message: Recorded): void {
    const book = this.#book;
    const { account, messages, net } = purchase;
    const known = [...messages];
    const before = sumUp(known);
    const use = this.#useOf(purchase);
    const owner = book.accounts.get(account)!;
    const posted = book.posted(account);
    const heldBefore = before.held + this.feeHeld(purchase);
    const stages = stagesOf(known, message).map((stage) => ({ ...stage, movements: this.#movements(purchase, stage) }));
    const { to } = stages.at(-1)!;
    // A merchant that gives back what is in dispute does not pay twice.
    const taken = to.refunded > before.refunded ? takeBackCredits(to, purchase.disputes) : 0n;
    const scheme = book.chart('scheme_settlement', owner.currency);
    stages[0]!.movements.push(...moved(account, scheme, taken));
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
    if (after.standing + after.held > 0n) purchase.firstUsedAt ??= book.moment;
    this.#count(use, this.#useOf(purchase));
    this.#flag(purchase, { message, before, after, change });
    this.#resemble(purchase, message, before);
    this.#lengthen(purchase, { known, message, before, after });
    this.#tell(purchase, stages, { entries, before });
  }

  /** Notes which counters have changed. */
  #count(before: Use, after: Use): void {
    const { moment } = this.#book;
    const isSame = (one: Use | undefined, other: Use | undefined) =>
      (one?.amount ?? 0n) === (other?.amount ?? 0n) && (one?.refunded ?? 0n) === (other?.refunded ?? 0n);
    for (const { scope, active, shadow } of this.#book.of(ReferenceControls).inForce(after.subjects)) {
      if (!isSame(before, after)) this.counted.set(`${after.subjects[scope]} ${after.currency}`, moment);
      for (const version of [active, shadow].filter((one) => one !== null))
        for (const [place, limit] of version.content.limits.entries()) {
          const counts = (use: Use) => (countsFor(limit, version, use) ? use : undefined);
          if (hasOwnCounter(limit) && !isSame(counts(before), counts(after)))
            this.counted.set(`${version.name} ${place} ${after.currency}`, moment);
        }
    }
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
      return after.isAuthorized && after.standing > most ? 'clearing_exceeds_authorization' : null;
    }
    const isBought = after.isAuthorized || after.cleared > 0n;
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
    flag('forced', sent.type === 'clearing' && !before.isAuthorized);
    flag('late', sent.type === 'clearing' && (before.isEndedEarly || isReversed(before)));
    flag('unmatched', sent.type === 'refund' && !before.isAuthorized && before.cleared === 0n);
    flag('stand_in', sent.type === 'stand-in');
    const most = atLeastZero(after.authorized - after.reversed);
    flag('over_cleared', sent.type === 'clearing' && after.isAuthorized && after.standing > most);
    flag('below_floor', takes && !this.#book.covers(account, 0n));
    flag(`account_${owner.status}`, owner.status !== 'open' && (change.isPosted || change.held > 0n));
  }

  /** The one other purchase of the card at the merchant that holds just as much. */
  #resemble(purchase: ReferencePurchase, { sent }: Recorded, before: Sums): void {
    if (sent.type !== 'clearing' || before.isAuthorized) return;
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
    const isApproved = (one: Recorded) => one.approved > 0n && one.sent.type !== 'completion';
    const isAnew = isApproved(message) && (message.sent.type === 'increment' || !known.some(isApproved));
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
