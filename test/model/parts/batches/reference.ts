/** The reference's batches: the result of each request, by the rules of the API reference alone. */
import type { ReferenceBook } from '../../reference-book.ts';
import { refused, type Said, sum } from '../../reference-ledger.ts';
import { ReferencePayouts } from '../payouts/reference.ts';

export interface BatchItem {
  readonly account: string;
  /** Another account of the book; null for an alias outside it. */
  readonly to: string | null;
  readonly currency: string;
  readonly amount: bigint;
  readonly fee: bigint;
}

export interface CreateBatch {
  readonly items: readonly BatchItem[];
  /** Items of the first account do not name it: the batch does. */
  readonly named: boolean;
  /** What the bytes of the upload come to. */
  readonly content: number;
  readonly duplicate: boolean;
  readonly submit: boolean;
  /** Whoever makes it asks for an approval. */
  readonly waits: boolean;
  /** By the book's own time; null to be released at once. */
  readonly at: number | null;
  /** A dry run. */
  readonly dry: boolean;
}

/** Whoever made it, and two other people. */
export type Person = 'maker' | 'another' | 'third';

export interface MakePayouts {
  readonly batch: string;
  /** How many were made when the worker read the batch. */
  readonly made: number;
  readonly count: number;
}

export type BatchStatus =
  | 'draft'
  | 'requires_approval'
  | 'scheduled'
  | 'processing'
  | 'completed'
  | 'partially_completed'
  | 'failed'
  | 'rejected'
  | 'canceled';

interface ReferenceBatch extends Pick<CreateBatch, 'items' | 'content' | 'waits' | 'at'> {
  status: BatchStatus;
  version: number;
  submittedBy: Person | null;
  made: number;
  /** Items behind it never become payouts. */
  last: number;
  held: boolean;
  readonly payouts: string[];
}

const OPEN: readonly BatchStatus[] = ['draft', 'requires_approval', 'scheduled', 'processing'];

export class ReferenceBatches {
  readonly all = new Map<string, ReferenceBatch>();
  readonly #book: ReferenceBook;

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  isPaying(account: string): boolean {
    return [...this.all.values()].some(
      ({ status, items }) => OPEN.includes(status) && items.some((item) => item.account === account),
    );
  }

  /** Batches of a content that were neither rejected nor canceled. */
  alive(content: number): number {
    const own = [...this.all.values()].filter((batch) => batch.content === content);
    return own.filter(({ status }) => status !== 'rejected' && status !== 'canceled').length;
  }

  create(request: CreateBatch): Said {
    const { items, content, waits, at, dry, submit, duplicate } = request;
    if (!duplicate && this.alive(content) > 0) return refused('state_conflict');
    const problem = this.#problemOfAccounts(items);
    if (problem) return refused(problem);
    // A fault of the request, which is kept under no key.
    if (at !== null && at <= this.#book.moment) return { ...refused('parameter_invalid'), isPassing: true };
    const name = `batch ${this.all.size + 1}`;
    const batch: ReferenceBatch = {
      ...{ items, content, waits, at, status: 'draft', version: 1, submittedBy: null },
      ...{ made: 0, last: items.length, held: false, payouts: [] },
    };
    const next = submit ? this.#next(batch, waits) : 'draft';
    if (!OPEN.includes(next as BatchStatus)) return refused(next);
    if (dry) return { status: 200 };
    this.all.set(name, batch);
    this.#book.tell('payout_batch.created', name, 1);
    if (submit) this.#goTo(name, next as BatchStatus, 'maker');
    return { status: 202, resource: name };
  }

  submit(name: string, by: Person, ifMatch?: number): Said {
    const batch = this.all.get(name)!;
    const refusal = this.#refusal(batch, ['draft'], ifMatch);
    if (refusal) return refused(refusal);
    const next = this.#next(batch, batch.waits);
    if (!OPEN.includes(next as BatchStatus)) return refused(next);
    this.#goTo(name, next as BatchStatus, by);
    return { status: 200, resource: name };
  }

  /** What would fail at once is refused, and the approval can be given again. */
  approve(name: string, by: Person, version: number): Said {
    const batch = this.all.get(name)!;
    const refusal = this.#refusal(batch, ['requires_approval'], version) ?? this.#bars(batch, by);
    if (refusal) return refused(refusal);
    const next = this.#next(batch, false);
    if (!OPEN.includes(next as BatchStatus)) return refused(next);
    batch.status = next as BatchStatus;
    this.#book.tell('payout_batch.approved', name, ++batch.version);
    if (batch.status === 'processing') {
      this.#hold(name);
      this.#book.tell('payout_batch.processing', name, ++batch.version);
    }
    return { status: 200, resource: name };
  }

  reject(name: string, by: Person, version: number): Said {
    const batch = this.all.get(name)!;
    const refusal = this.#refusal(batch, ['requires_approval'], version) ?? this.#bars(batch, by);
    if (refusal) return refused(refusal);
    this.#end(name, 'rejected');
    return { status: 200, resource: name };
  }

  cancel(name: string, ifMatch?: number): Said {
    const batch = this.all.get(name)!;
    const canStop = batch.status !== 'processing' || batch.made < batch.last;
    const refusal = this.#refusal(batch, canStop ? OPEN : [], ifMatch);
    if (refusal) return refused(refusal);
    this.#release(name);
    if (batch.made === 0) this.#end(name, 'canceled');
    else {
      batch.last = batch.made;
      this.#book.tell('payout_batch.updated', name, ++batch.version);
    }
    return { status: 200, resource: name };
  }

  /** The visit of a worker: those whose time has come. Without funds a batch fails. */
  releaseAll(names: readonly string[]): Said {
    const due = names.filter((name) => {
      const { status, at } = this.all.get(name)!;
      return status === 'scheduled' && at! <= this.#book.moment;
    });
    for (const name of due) {
      const next = this.#next(this.all.get(name)!, false);
      if (next === 'processing') this.#goTo(name, next);
      else this.#end(name, 'failed');
    }
    return { status: 0, resource: `${due.length} released` };
  }

  make({ batch: name, made, count }: MakePayouts): Said {
    const batch = this.all.get(name)!;
    if (batch.status !== 'processing' || batch.made !== made || batch.last < made + count)
      return { status: 0, resource: '0 made' };
    const items = batch.items.slice(made, made + count);
    for (const [account, needed] of needs(items)) this.#book.take(holdOf(name, account), 'released', needed);
    const payouts = this.#book.of(ReferencePayouts);
    for (const item of items) batch.payouts.push(payouts.make(item));
    batch.made += count;
    return { status: 0, resource: `${count} made` };
  }

  /** Once no payout of it is under way. */
  finish(name: string): Said {
    const batch = this.all.get(name)!;
    const states = batch.payouts.map((payout) => this.#book.of(ReferencePayouts).all.get(payout)!.status);
    const isOver = !states.some((status) => status === 'pending' || status === 'processing');
    if (batch.status !== 'processing' || batch.made < batch.last || !isOver)
      return { status: 0, resource: 'finished: false' };
    const paid = states.filter((status) => status === 'paid' || status === 'returned').length;
    batch.status = paid === batch.items.length ? 'completed' : paid > 0 ? 'partially_completed' : 'failed';
    this.#book.tell(`payout_batch.${batch.status}`, name, ++batch.version);
    return { status: 0, resource: 'finished: true' };
  }

  #problemOfAccounts(items: readonly BatchItem[]): string | undefined {
    for (const account of needs(items).keys()) {
      const paying = this.#book.accounts.get(account);
      if (!paying) return 'resource_not_found';
      if (paying.status !== 'open') return `account_${paying.status}`;
      if (items.some((item) => item.account === account && item.currency !== paying.currency))
        return 'currency_mismatch';
    }
    return undefined;
  }

  /** Where it goes, or why it cannot. */
  #next({ items, at }: ReferenceBatch, waits: boolean): BatchStatus | string {
    if (waits) return 'requires_approval';
    if (at !== null && at > this.#book.moment) return 'scheduled';
    for (const [account, needed] of needs(items)) {
      const { status } = this.#book.accounts.get(account)!;
      if (status !== 'open') return `account_${status}`;
      if (!this.#book.covers(account, needed)) return 'insufficient_funds';
    }
    return 'processing';
  }

  #goTo(name: string, status: BatchStatus, by?: Person): void {
    const batch = this.all.get(name)!;
    batch.status = status;
    if (by !== undefined) batch.submittedBy = by;
    if (status === 'processing') this.#hold(name);
    this.#book.tell(`payout_batch.${status}`, name, ++batch.version);
  }

  #end(name: string, status: 'rejected' | 'canceled' | 'failed'): void {
    const batch = this.all.get(name)!;
    batch.status = status;
    batch.last = 0;
    this.#book.tell(`payout_batch.${status}`, name, ++batch.version);
  }

  #hold(name: string): void {
    const batch = this.all.get(name)!;
    for (const [account, amount] of needs(batch.items)) this.#book.hold(holdOf(name, account), { account, amount });
    batch.held = true;
  }

  #release(name: string): void {
    const { held, items } = this.all.get(name)!;
    if (held) for (const account of needs(items).keys()) this.#book.take(holdOf(name, account), 'released');
  }

  #refusal(
    { version, status }: ReferenceBatch,
    allowed: readonly BatchStatus[],
    seen: number | undefined,
  ): string | undefined {
    if (seen !== undefined && seen !== version) return 'version_mismatch';
    return allowed.includes(status) ? undefined : 'state_conflict';
  }

  /** Who made it or submitted it judges it in no way. */
  #bars({ submittedBy }: ReferenceBatch, by: Person): string | undefined {
    return by === 'maker' || by === submittedBy ? 'self_approval_forbidden' : undefined;
  }
}

export function holdOf(batch: string, account: string): string {
  return `hold of ${batch} on ${account}`;
}

/** By account, in the order in which items name them. */
export function needs(items: readonly BatchItem[]): Map<string, bigint> {
  const accounts = [...new Set(items.map(({ account }) => account))];
  const of = (account: string) => items.filter((item) => item.account === account);
  return new Map(accounts.map((account) => [account, sum(of(account).map(({ amount, fee }) => amount + fee))]));
}
