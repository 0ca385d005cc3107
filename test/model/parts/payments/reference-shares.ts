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
  earn(of: { account: string; currency: string; days: number; kind: Share['kind'] }, amount: bigint): Share {
    const share = this.open({ ...of, day: Math.floor(this.#book.moment / DAY_MS) + of.days });
    share.amount += amount;
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
    const entry = surely(
      this.#book.post({ resource, step: 'released', movements }, { frozen: true, closed: resource }),
    );
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

  take(portions: readonly Portion[]): void {
    for (const { share, amount, capture } of portions) if (share !== null) this.#move({ share, capture }, -amount);
  }

  /**
   * Gives an amount of a portion back, and says who gets what; null: the customer. What waited for a day waits for it again. `captures`:
   * all there are, since a share takes back no more than those that wait in it lack.
   */
  giveBack(
    { share, capture }: Portion,
    amount: bigint,
    captures: readonly Earner[],
  ): Pick<Portion, 'share' | 'amount'>[] {
    if (share === null) return [{ share, amount }];
    const waits = share.kind === 'ready' ? 0n : this.#waits({ share, capture }, amount, captures);
    const ways = [{ share, amount: waits }];
    if (amount > waits) ways.push({ share: this.#ready(share) as Share, amount: amount - waits });
    const own = ways.filter((way) => way.amount > 0n);
    for (const way of own) if (way.share !== null) this.#move({ share: way.share, capture }, way.amount);
    return own;
  }

  /** What of it goes back to a share that waits for its acquirer. */
  #waits(
    { share, capture }: { share: Share; capture?: Earner | undefined },
    amount: bigint,
    captures: readonly Earner[],
  ) {
    if (capture) return capture.isSettled ? 0n : amount;
    const unpaid = captures.filter(({ isSettled }) => !isSettled).flatMap(({ portions }) => portions);
    const left = unpaid.reduce((sum, portion) => (portion.share === share ? sum + portion.amount : sum), 0n);
    return least(left - share.amount, amount);
  }

  /** The share that is released on the same day; null where that is over, and nothing is left to be released then. */
  #ready({ account, currency, day }: Share): Share | null {
    const ready = { account, currency, day, kind: 'ready' as const };
    if (day * DAY_MS > this.#book.moment) return this.open(ready);
    const known = this.all.find((share) => !share.isDirect && nameOf(share) === nameOf(ready));
    return known?.status === 'open' && this.#book.accounts.get(account)!.status !== 'closed' ? known : null;
  }

  #move({ share, capture }: { share: Share; capture?: Earner | undefined }, amount: bigint): void {
    share.amount += amount;
    if (!capture) return;
    const at = capture.portions.findIndex((portion) => portion.share === share);
    if (at >= 0) capture.portions[at] = { share, amount: capture.portions[at]!.amount + amount };
    else capture.portions.push({ share, amount });
  }

  #add(share: Pick<Share, 'account' | 'currency' | 'day' | 'kind' | 'isDirect'>): Share {
    const added: Share = { ...share, status: 'open', amount: 0n, releases: 0 };
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
