/** The reference's account holds: the result of each request, by the rules of the API reference alone. */
import type { ReferenceBook } from '../../reference-book.ts';
import { refused, type Said, sum } from '../../reference-ledger.ts';

export interface PlaceAccountHold {
  readonly account: string;
  readonly amount: bigint;
  /** By the book's own time; null for a hold that stays until it is released. */
  readonly expiresAt: number | null;
  /** Whether it has a description and metadata. */
  readonly named: boolean;
}

export interface IncreaseAccountHold {
  readonly hold: string;
  /** The new total. */
  readonly amount: bigint;
  readonly ifMatch?: number;
}

export interface ReleaseAccountHold {
  readonly hold: string;
  /** Null for all that remains. */
  readonly amount: bigint | null;
  readonly ifMatch?: number;
}

interface ReferenceAccountHold {
  readonly account: string;
  readonly expiresAt: number | null;
  /** The same moment by the machine's clock. */
  readonly dueAt: number | null;
  readonly createdAt: number;
  updatedAt: number;
}

/** Amounts, status and version follow from the steps that the ledger's lists have of a hold. */
export class ReferenceAccountHolds {
  readonly all = new Map<string, ReferenceAccountHold>();
  readonly #book: ReferenceBook;

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  /** A closed account needs no open hold. */
  isHeld(account: string): boolean {
    return [...this.all].some(([name, hold]) => hold.account === account && this.status(name) === 'open');
  }

  /** A moment that passes while the request waits is no refusal: the hold is placed, and over. */
  place({ account, amount, expiresAt }: PlaceAccountHold): Said {
    const problem = this.#accountProblem(account);
    if (problem) return refused(problem);
    const name = `placed hold ${this.all.size + 1}`;
    if (!this.#book.hold(name, { account, amount, expiresAt })) return refused('insufficient_funds');
    const { moment, now } = this.#book;
    const dueAt = expiresAt === null ? null : now + (expiresAt - moment);
    this.all.set(name, { account, expiresAt, dueAt, createdAt: moment, updatedAt: moment });
    this.#tell(name, 'created');
    return { status: 201, resource: name };
  }

  increase({ hold: name, amount, ifMatch }: IncreaseAccountHold): Said {
    const problem = this.#problem(name, ifMatch);
    if (problem) return refused(problem);
    const more = amount - this.#book.reserved(name);
    if (more <= 0n) return refused('amount_below_minimum');
    const ofAccount = this.#accountProblem(this.all.get(name)!.account);
    if (ofAccount) return refused(ofAccount);
    if (!this.#book.increase(name, more)) return refused('insufficient_funds');
    this.#tell(name, 'increased');
    return { status: 200, resource: name };
  }

  /** What a frozen or closed account gets back is no payment. */
  release({ hold: name, amount, ifMatch }: ReleaseAccountHold): Said {
    const problem = this.#problem(name, ifMatch);
    if (problem) return refused(problem);
    if (amount !== null && amount > this.#book.left(name)) return refused('amount_above_maximum');
    this.#book.take(name, 'released', amount ?? this.#book.left(name));
    this.#tell(name, 'released');
    return { status: 200, resource: name };
  }

  /** The visit of those that may be over. Says how many of them are. */
  expireAll(names: readonly string[]): Said {
    const expired = names.filter((name) => this.#expireIfOver(name));
    return { status: 0, resource: `${expired.length} expired` };
  }

  status(name: string): string {
    return this.#book.holdStatus(name);
  }

  /** Every step of a hold is a version of it. */
  version(name: string): number {
    return this.#book.holds.get(name)!.steps.length + 1;
  }

  /** As the API shows it. */
  view(name: string): Record<string, unknown> {
    const { account, expiresAt, dueAt, createdAt, updatedAt } = this.all.get(name)!;
    const isOpen = this.status(name) === 'open';
    const released = this.#book.holds.get(name)!.steps.filter(({ kind }) => kind === 'released');
    return {
      account,
      status: this.status(name),
      amount: this.#book.reserved(name),
      remaining: this.#book.left(name),
      captured: 0n,
      released: -sum(released.map(({ by }) => by)),
      actions: isOpen ? ['increase', 'release'] : [],
      version: this.version(name),
      ...{ expiresAt, createdAt, updatedAt },
      dueAt: isOpen ? dueAt : null,
    };
  }

  /** A hold that is over expires when it is used, whether or not anybody has been there: what is asked meets an expired one. */
  #problem(name: string, ifMatch: number | undefined): string | undefined {
    this.#expireIfOver(name);
    if (ifMatch !== undefined && ifMatch !== this.version(name)) return 'version_mismatch';
    return this.status(name) === 'open' ? undefined : 'state_conflict';
  }

  #accountProblem(account: string): string | undefined {
    const known = this.#book.accounts.get(account);
    if (!known) return 'resource_not_found';
    return known.status === 'open' ? undefined : `account_${known.status}`;
  }

  #expireIfOver(name: string): boolean {
    const { expiresAt } = this.all.get(name)!;
    if (this.status(name) !== 'open' || expiresAt === null || this.#book.moment < expiresAt) return false;
    this.#book.take(name, 'expired');
    this.#tell(name, 'expired');
    return true;
  }

  #tell(name: string, step: 'created' | 'increased' | 'released' | 'expired'): void {
    this.all.get(name)!.updatedAt = this.#book.moment;
    this.#book.tell(`hold.${step}`, name, this.version(name));
  }
}
