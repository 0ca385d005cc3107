/**
 * A ledger so simple that one sees it is right: lists of what happened, and every figure summed up from them each time it
 * is asked for. Written for the models alone, from the rules of the API's reference and with nothing of src: it knows no
 * ids, no rows, no batches and no state but names and lists. Next: reference-payouts.ts, which adds payouts to it.
 */

export type Status = 'open' | 'frozen' | 'closed';
export type Side = 'debit' | 'credit';

export interface ReferenceAccount {
  readonly currency: string;
  /** The side on which it grows. */
  readonly grows: Side;
  /** How far below zero what is available may go; null for as far as it likes. */
  readonly overdraft: bigint | null;
  status: Status;
  version: number;
}

/** "A → B": taken as a debit of A and a credit of B. */
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
  /** It left an account with less available than its floor. */
  readonly below: boolean;
  readonly lines: readonly ReferenceLine[];
}

export interface ReferenceEvent {
  readonly type: string;
  readonly object: string;
  readonly version: number;
  readonly at: number;
  /** Sequence numbers of the entries it tells of. */
  readonly entries: readonly number[];
}

export interface ReferenceHold {
  readonly account: string;
  readonly amount: bigint;
  readonly expiresAt: number | null;
  readonly taken: { readonly kind: 'captured' | 'released' | 'expired'; readonly amount: bigint }[];
}

export interface Permissions {
  /** It happened outside: it is booked below the floor if need be. */
  readonly forced?: boolean;
  /** The money was reserved on this account. */
  readonly heldOn?: string;
  readonly frozen?: boolean;
  readonly closed?: boolean;
}

/** What a request is answered with: an HTTP status, and a code where it is a refusal. */
export interface Said {
  readonly status: number;
  readonly code?: string;
  /** What was made, or what it was about. */
  readonly resource?: string;
}

const STATUSES: Record<string, number> = {
  resource_not_found: 404,
  state_conflict: 409,
  account_not_empty: 409,
  version_mismatch: 412,
};

export const refused = (code: string): Said => ({ status: STATUSES[code] ?? 422, code });

export class ReferenceLedger {
  /** What the clock of the machine says. */
  now = 0;
  /** When something was last written: a book's time does not run backwards. */
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
    const { amount, taken } = this.holds.get(hold)!;
    return amount - sum(taken.map((step) => step.amount));
  }

  held(name: string): bigint {
    const own = [...this.holds].filter(([, hold]) => hold.account === name);
    return sum(own.map(([hold]) => this.left(hold)));
  }

  available(name: string): bigint {
    return this.posted(name) - this.held(name);
  }

  /** Whether as much may leave the account. */
  covers(name: string, amount: bigint): boolean {
    const { overdraft } = this.accounts.get(name)!;
    return overdraft === null || this.available(name) - amount >= -overdraft;
  }

  holdStatus(name: string): string {
    return this.left(name) > 0n ? 'open' : this.holds.get(name)!.taken.at(-1)!.kind;
  }

  /** An account of the operator's own books: there from the beginning. */
  chart(code: string, currency: string): string {
    const name = `${code} ${currency}`;
    const grows = code === 'pool' ? 'debit' : 'credit';
    if (!this.accounts.has(name))
      this.accounts.set(name, { currency, grows, overdraft: null, status: 'open', version: 0 });
    return name;
  }

  /** Books all movements or, with the code of the first that is refused, none. Movements of nothing are left out. */
  post(
    entry: { resource: string; step: string; movements: readonly Movement[] },
    may: Permissions = {},
  ): string | number {
    const sequence = this.entries.length;
    const lines: ReferenceLine[] = [];
    const at = this.moment;
    let below = false;
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
    return sequence + 1;
  }

  tell(type: string, object: string, version: number, entries: readonly number[] = []): void {
    const at = this.moment;
    this.events.push({ type, object, version, at, entries });
    this.last = at;
  }

  hold(name: string, hold: { account: string; amount: bigint; expiresAt?: number | null }): boolean {
    if (!this.covers(hold.account, hold.amount)) return false;
    this.holds.set(name, { account: hold.account, amount: hold.amount, expiresAt: hold.expiresAt ?? null, taken: [] });
    return true;
  }

  take(name: string, kind: 'captured' | 'released' | 'expired', amount = this.left(name)): void {
    if (amount > 0n) this.holds.get(name)!.taken.push({ kind, amount });
  }

  /** One key, one answer: the first is kept, and given again to whoever sends the same under it. */
  once(key: string, request: string, carryOut: () => Said): Said {
    const known = this.keys.get(key);
    if (known === 'voided') return refused('idempotency_key_voided');
    if (known) return known.request === request ? known.said : refused('idempotency_key_reused');
    const said = carryOut();
    // A precondition speaks of what the caller has seen, not of what it asks for.
    if (said.code !== 'version_mismatch') this.keys.set(key, { request, said });
    return said;
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

  /** With the movement that was just booked: whether it left less than there may be. */
  #isBelow(name: string, side: Side): boolean {
    return this.accounts.get(name)!.grows !== side && !this.covers(name, 0n);
  }
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
