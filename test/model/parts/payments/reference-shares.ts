/** The reference's shares: what captures earned and is not released, by account, day and whether the acquirer has paid it. */
import type { ReferenceBook } from '../../reference-book.ts';

export const DAY_MS = 24 * 60 * 60_000;

export interface Share {
  readonly account: string;
  readonly currency: string;
  /** Days since 1970, UTC: when it is released. */
  readonly day: number;
  readonly kind: 'waiting' | 'ready';
  /** Made and released by one settlement, because its day was over. */
  readonly isDirect: boolean;
  status: 'open' | 'released';
  amount: bigint;
  /** How often it was released: it may open again. */
  releases: number;
  /** What each payment put in, less what it took out. */
  readonly parts: Map<string, bigint>;
}

/** A capture: what is left of it, and where. */
export interface Earner {
  portions: Portion[];
  isSettled: boolean;
}

export interface Portion {
  /** Null: the customer's available balance. */
  readonly share: Share | null;
  readonly amount: bigint;
  readonly capture?: Earner;
}

export class ReferenceShares {
  readonly all: Share[] = [];
  #released = 0;
  /** How often shares had been released when a command was made, by the command's identity. */
  readonly #read = new Map<string, ReadonlyMap<Share, number>>();
  readonly #book: ReferenceBook;

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  named(name: string): Share {
    return this.all.find((share) => !share.isDirect && nameOf(share) === name)!;
  }

  /** Of a capture made now, on `days` days from now. */
  earn(
    payment: string,
    of: { account: string; currency: string; days: number; kind: Share['kind'] },
    amount: bigint,
  ): Share {
    const share = this.open({ ...of, day: Math.floor(this.#book.moment / DAY_MS) + of.days });
    this.change(share, payment, amount);
    return share;
  }

  /** The share of a day. One that was released opens again. */
  open({ account, currency, day, kind }: Pick<Share, 'account' | 'currency' | 'day' | 'kind'>): Share {
    const known = this.all.find((share) => !share.isDirect && nameOf(share) === nameOf({ account, day, kind }));
    if (known) {
      known.status = 'open';
      return known;
    }
    return this.#add({ account, currency, day, kind, isDirect: false });
  }

  openDirect({ account, currency }: Pick<Share, 'account' | 'currency'>): Share {
    const day = Math.floor(this.#book.moment / DAY_MS);
    return this.#add({ account, currency, day, kind: 'ready', isDirect: true });
  }

  change(share: Share, payment: string, amount: bigint): void {
    share.amount += amount;
    share.parts.set(payment, (share.parts.get(payment) ?? 0n) + amount);
  }

  isOver({ kind, day }: Share): boolean {
    return kind === 'ready' && day * DAY_MS <= this.#book.moment;
  }

  /** Of these, those that are due. A command that is repeated leaves what it may have released before. */
  releaseDue(names: readonly string[], identity: string): number {
    const shares = names.map((name) => this.named(name));
    const read = this.#read.get(identity) ?? new Map(shares.map((share) => [share, share.releases]));
    this.#read.set(identity, read);
    const due = shares.filter((share) => share.status === 'open' && this.isOver(share));
    const own = due.filter((share) => share.amount === 0n || share.releases === read.get(share));
    for (const share of own) this.release(share);
    return own.length;
  }

  release(share: Share): void {
    const { amount, account, currency } = share;
    share.status = 'released';
    share.amount = 0n;
    if (amount === 0n) return;
    share.releases++;
    const resource = `release ${++this.#released}`;
    const movements = [{ debit: this.#book.chart('merchant_pending', currency), credit: account, amount }];
    const entry = surely(this.#book.post({ resource, step: 'released', movements }, { frozen: true }));
    this.#book.tell('release.created', resource, 1, [entry]);
    tellArrival(this.#book, account, entry);
  }

  /** Where money for a payer is found: what the payment earned, what the customer has, what else waits, the last day first. */
  plan(
    needed: bigint,
    from: { account: string; captures: readonly Earner[]; available: bigint },
  ): { portions: Portion[]; missing: bigint } {
    const held = new Map(this.all.filter(({ status }) => status === 'open').map((share) => [share, share.amount]));
    const portions: Portion[] = [];
    let missing = needed;
    const take = (most: bigint, source: Omit<Portion, 'amount'>) => {
      const there = source.share === null ? most : least(most, held.get(source.share) ?? 0n);
      const amount = least(there, missing);
      if (amount <= 0n) return;
      if (source.share !== null) held.set(source.share, held.get(source.share)! - amount);
      portions.push({ ...source, amount });
      missing -= amount;
    };
    for (const capture of from.captures)
      for (const { share, amount } of capture.portions) if (share !== null) take(amount, { share, capture });
    take(from.available, { share: null });
    const others = [...held.keys()].filter(({ account }) => account === from.account).sort(lastFirst);
    for (const share of others) take(held.get(share)!, { share });
    return { portions, missing };
  }

  take(payment: string, portions: readonly Portion[]): void {
    for (const { share, amount, capture } of portions)
      if (share !== null) this.#move({ share, capture }, payment, -amount);
  }

  /** Where a portion goes back to; null: the customer. */
  wayBack(
    { share, capture }: Portion,
    payment: { day: number | null; settled: bigint; captured: bigint },
  ): Share | null {
    if (capture !== undefined) {
      const there = capture.portions.map((portion) => portion.share);
      return there.find((one) => one?.status === 'open' && (one.kind === 'ready' || !capture.isSettled)) ?? null;
    }
    if (share?.status !== 'open') return null;
    const somebodyWaits = share.amount > 0n || (share.day === payment.day && payment.settled < payment.captured);
    return share.kind === 'ready' || somebodyWaits ? share : null;
  }

  giveBack(payment: string, portion: { share: Share; capture?: Earner | undefined }, amount: bigint): void {
    this.#move(portion, payment, amount);
  }

  #move({ share, capture }: { share: Share; capture?: Earner | undefined }, payment: string, amount: bigint): void {
    this.change(share, payment, amount);
    if (!capture) return;
    const at = capture.portions.findIndex((portion) => portion.share === share);
    if (at >= 0) capture.portions[at] = { share, amount: capture.portions[at]!.amount + amount };
  }

  #add(share: Pick<Share, 'account' | 'currency' | 'day' | 'kind' | 'isDirect'>): Share {
    const added: Share = { ...share, status: 'open', amount: 0n, releases: 0, parts: new Map() };
    this.all.push(added);
    return added;
  }
}

export function nameOf({ account, day, kind }: Pick<Share, 'account' | 'day' | 'kind'>): string {
  return `${account}, day ${day}, ${kind}`;
}

/** What waits for its acquirer comes before what does not, of a day. */
function lastFirst(one: Share, other: Share): number {
  return other.day - one.day || (one.kind === 'waiting' ? -1 : 1);
}

/** Money has arrived. */
export function tellArrival(book: ReferenceBook, account: string, entry: number): void {
  book.tell('account.updated', account, ++book.accounts.get(account)!.version, [entry]);
}

export function surely(entry: string | number): number {
  if (typeof entry === 'string') throw new Error(`The reference cannot book what it must: ${entry}`);
  return entry;
}

export const least = (one: bigint, other: bigint) => (one < other ? one : other);
