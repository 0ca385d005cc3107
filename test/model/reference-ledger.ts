/**
 * A ledger simple enough to be seen to be right: lists of what happened, with every figure summed from them when it is
 * needed. It is written for the models only, from the rules of the API reference and without src. It has no ids, rows
 * or batches, only names and lists. Next: reference-book.ts, which adds what each part keeps.
 */

export type Status = 'open' | 'frozen' | 'closed';
export type Side = 'debit' | 'credit';

export interface ReferenceAccount {
  readonly currency: string;
  /** The side that increases the balance. */
  readonly grows: Side;
  /** How far below zero the available balance may go; null for no limit. */
  readonly overdraft: bigint | null;
  status: Status;
  version: number;
}

/** "A → B": a debit of A and a credit of B. */
export interface Movement {
  readonly debit: string;
  readonly credit: string;
  readonly amount: bigint;
}

export interface ReferenceLine extends Movement {
  readonly debitLine: bigint;
  readonly debitAfter: bigint;
  readonly creditLine: bigint;
  readonly creditAfter: bigint;
}

export interface ReferenceEntry {
  readonly resource: string;
  readonly step: string;
  readonly at: number;
  /** An account was left with less available than its floor. */
  readonly below: boolean;
  readonly lines: readonly ReferenceLine[];
}

export interface ReferenceEvent {
  readonly type: string;
  readonly object: string;
  readonly version: number;
  readonly at: number;
  /** Sequences of the event's entries. */
  readonly entries: readonly number[];
}

export interface ReferenceHold {
  readonly account: string;
  readonly amount: bigint;
  readonly expiresAt: number | null;
  /** Behind the one that created it; `by` is what is left changes by. */
  readonly steps: { readonly kind: 'increased' | 'captured' | 'released' | 'expired'; readonly by: bigint }[];
}

export interface Permissions {
  /** Happened outside: posted even below the floor. */
  readonly forced?: boolean;
  /** The money was held on this account. */
  readonly heldOn?: string;
  readonly frozen?: boolean;
  /** Closed accounts take part. An object's name: what the entry leaves in one is an exception about it. */
  readonly closed?: true | string;
}

/** An answer: an HTTP status, and a code for a refusal. */
export interface Said {
  readonly status: number;
  readonly code?: string;
  /** The object that was created, or that the request is about. */
  readonly resource?: string;
  /** The obstacle ends by itself: the refusal is not stored, and the same request may succeed later. */
  readonly isPassing?: true;
}

const STATUSES: Record<string, number> = {
  resource_not_found: 404,
  state_conflict: 409,
  account_not_empty: 409,
  version_mismatch: 412,
  service_unavailable: 503,
};

export const refused = (code: string): Said => ({ status: STATUSES[code] ?? 422, code });

export class ReferenceLedger {
  /** Time of the machine's clock. */
  now = 0;
  /** Whether the installation is contracted: a return is then booked as a child of its payout. */
  returnsApart = false;
  /** Time of the last write: a book's time never runs backwards. */
  last = 0;
  readonly accounts = new Map<string, ReferenceAccount>();
  readonly holds = new Map<string, ReferenceHold>();
  readonly entries: ReferenceEntry[] = [];
  readonly events: ReferenceEvent[] = [];
  readonly keys = new Map<string, { readonly request: string; readonly said: Said } | 'voided'>();

  get moment(): number {
    return Math.max(this.now, this.last);
  }

  posted(name: string): bigint {
    const account = this.accounts.get(name)!;
    const lines = this.entries.flatMap((entry) => entry.lines);
    const debits = sum(lines.filter((line) => line.debit === name).map((line) => line.amount));
    const credits = sum(lines.filter((line) => line.credit === name).map((line) => line.amount));
    return account.grows === 'credit' ? credits - debits : debits - credits;
  }

  lines(name: string): bigint {
    const lines = this.entries.flatMap((entry) => entry.lines);
    return BigInt(lines.filter((line) => line.debit === name || line.credit === name).length);
  }

  left(hold: string): bigint {
    const { amount, steps } = this.holds.get(hold)!;
    return amount + sum(steps.map(({ by }) => by));
  }

  /** All that was ever reserved. */
  reserved(hold: string): bigint {
    const { amount, steps } = this.holds.get(hold)!;
    return amount + sum(steps.filter(({ kind }) => kind === 'increased').map(({ by }) => by));
  }

  held(name: string): bigint {
    const own = [...this.holds].filter(([, hold]) => hold.account === name);
    return sum(own.map(([hold]) => this.left(hold)));
  }

  available(name: string): bigint {
    return this.posted(name) - this.held(name);
  }

  /** Whether the amount may leave the account. */
  covers(name: string, amount: bigint): boolean {
    const { overdraft } = this.accounts.get(name)!;
    return overdraft === null || this.available(name) - amount >= -overdraft;
  }

  holdStatus(name: string): string {
    return this.left(name) > 0n ? 'open' : this.holds.get(name)!.steps.at(-1)!.kind;
  }

  /** A chart account, which exists from the start. */
  chart(code: string, currency: string): string {
    const name = `${code} ${currency}`;
    const grows = code === 'pool' || code === 'acquirer' ? 'debit' : 'credit';
    if (!this.accounts.has(name))
      this.accounts.set(name, { currency, grows, overdraft: null, status: 'open', version: 0 });
    return name;
  }

  /** Posts all movements, or none and returns the code of the first refusal. Zero movements are left out. */
  post(
    entry: { resource: string; step: string; movements: readonly Movement[] },
    may: Permissions = {},
  ): string | number {
    const sequence = this.entries.length;
    const lines: ReferenceLine[] = [];
    const at = this.moment;
    let below = false;
    const closed = [...this.accounts].filter(([, { status }]) => status === 'closed').map(([name]) => name);
    const before = new Map(closed.map((name) => [name, this.posted(name)]));
    for (const movement of entry.movements.filter(({ amount }) => amount > 0n)) {
      const problem = this.#problem(movement, may);
      if (problem) {
        this.entries.length = sequence;
        return problem;
      }
      lines.push({ ...movement, debitLine: 0n, debitAfter: 0n, creditLine: 0n, creditAfter: 0n });
      this.entries[sequence] = { resource: entry.resource, step: entry.step, at, below, lines: [...lines] };
      below ||= this.#isBelow(movement.debit, 'debit') || this.#isBelow(movement.credit, 'credit');
      lines[lines.length - 1] = {
        ...movement,
        debitLine: this.lines(movement.debit),
        debitAfter: this.posted(movement.debit),
        creditLine: this.lines(movement.credit),
        creditAfter: this.posted(movement.credit),
      };
      this.entries[sequence] = { resource: entry.resource, step: entry.step, at, below, lines: [...lines] };
    }
    this.last = at;
    if (typeof may.closed === 'string')
      for (const [name, was] of before)
        if (this.posted(name) > was && this.posted(name) > 0n)
          this.tell('exception.opened', `exception of ${may.closed}`, 1);
    return sequence + 1;
  }

  tell(type: string, object: string, version: number, entries: readonly number[] = []): void {
    const at = this.moment;
    this.events.push({ type, object, version, at, entries });
    this.last = at;
  }

  /** `forced`: held whatever is available. */
  hold(name: string, hold: { account: string; amount: bigint; expiresAt?: number | null; forced?: boolean }): boolean {
    if (!hold.forced && !this.covers(hold.account, hold.amount)) return false;
    this.holds.set(name, { account: hold.account, amount: hold.amount, expiresAt: hold.expiresAt ?? null, steps: [] });
    return true;
  }

  take(name: string, kind: 'captured' | 'released' | 'expired', amount = this.left(name)): void {
    if (amount > 0n) this.holds.get(name)!.steps.push({ kind, by: -amount });
  }

  increase(name: string, by: bigint, { forced = false } = {}): boolean {
    const hold = this.holds.get(name)!;
    if (!forced && !this.covers(hold.account, by)) return false;
    hold.steps.push({ kind: 'increased', by });
    return true;
  }

  /** One key, one answer: the first answer is stored, and repeated for the same request under the key. */
  once(key: string, request: string, carryOut: () => Said): Said {
    const known = this.keys.get(key);
    if (known === 'voided') return refused('idempotency_key_voided');
    if (known) return known.request === request ? known.said : refused('idempotency_key_reused');
    const said = carryOut();
    // A failed precondition is not stored: it concerns what the caller has seen, not the request.
    if (said.code !== 'version_mismatch' && !said.isPassing) this.keys.set(key, { request, said });
    return said;
  }

  /** Likewise of a request that names itself; only what is carried out takes the name. */
  onceNamed(name: string, request: string, carryOut: () => Said): Said {
    const key = `message ${name}`;
    const said = this.once(key, request, carryOut);
    if (said.status !== 200) this.#forget(key, said);
    return said;
  }

  #forget(key: string, said: Said): void {
    const known = this.keys.get(key);
    if (known !== 'voided' && known?.said === said) this.keys.delete(key);
  }

  #problem(movement: Movement, may: Permissions): string | undefined {
    const { currency } = this.accounts.get(movement.debit)!;
    for (const side of ['debit', 'credit'] as const) {
      const name = movement[side];
      const account = this.accounts.get(name)!;
      const leaves = account.grows !== side;
      if (account.currency !== currency) return 'currency_mismatch';
      if (account.status === 'closed' && !may.closed) return 'account_closed';
      if (account.status === 'frozen' && leaves && !may.frozen && !may.forced) return 'account_frozen';
      if (leaves && !may.forced && may.heldOn !== name && !this.covers(name, movement.amount))
        return 'insufficient_funds';
    }
    return undefined;
  }

  /** After a posting: whether the account is below its floor. */
  #isBelow(name: string, side: Side): boolean {
    return this.accounts.get(name)!.grows !== side && !this.covers(name, 0n);
  }
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
