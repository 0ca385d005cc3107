/** The reference's payouts: the result of each request, by the rules of the API reference alone. */
import type { ReferenceBook } from '../../reference-book.ts';
import { refused, type Said } from '../../reference-ledger.ts';

export type Word = 'paid' | 'rejected' | 'pending';

export interface AcceptPayout {
  readonly account: string;
  /** Another account of the book; null for an alias outside it. */
  readonly to: string | null;
  readonly currency: string;
  readonly amount: bigint;
  readonly fee: bigint;
  /** A dry run. */
  readonly dry: boolean;
  /** Whoever makes it asks for an approval: nothing is held until another person gives it. */
  readonly waits: boolean;
}

/** Whoever makes payouts is nobody who approves them. */
export type Judge = 'maker' | 'another';

export interface ReferencePayout {
  readonly account: string;
  readonly to: string | null;
  readonly currency: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly hold: string;
  status: 'requires_approval' | 'rejected' | 'pending' | 'processing' | 'paid' | 'failed' | 'canceled' | 'returned';
  unknown: boolean;
  version: number;
  returned: bigint;
  returns: number;
  /** Returns that were booked as steps of the payout. */
  returnSteps: number;
  /** The payout was sent to a rail. */
  sent: boolean;
  /** What a rejection has given back and no credit has evidenced yet. */
  takenBack: bigint | null;
}

export class ReferencePayouts {
  readonly all = new Map<string, ReferencePayout>();
  readonly #book: ReferenceBook;
  /** Ids of the rail's reports that were booked. */
  readonly #told = new Set<string>();

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  isLeaving(account: string): boolean {
    return [...this.all.values()].some(
      (payout) => payout.account === account && ['requires_approval', 'pending', 'processing'].includes(payout.status),
    );
  }

  /** The rail does not know what became of it. */
  unknown(name: string, identity: string): Said {
    return this.#tellOnce(name, identity, (payout) => {
      if (payout.status === 'processing') this.#wait(payout, true);
    });
  }

  /** An answer to a call, or a notice under the rail's own id. */
  settle(name: string, word: Word, id: string): Said {
    return this.#tellOnce(name, id, () => this.#settle(name, word));
  }

  /** A simulation through the API: the rail reports under an id of its own. */
  simulate(name: string, word: Word): Said {
    this.#settle(name, word);
    return { status: 200, resource: name };
  }

  return(name: string, amount: bigint, notice: string): Said {
    // Too early: the rail will report it again.
    if (this.all.get(name)!.status === 'processing') return this.#now(name);
    return this.#tellOnce(name, notice, () => this.#return(name, amount, notice));
  }

  accept(request: AcceptPayout): Said {
    const problem = this.#refusal(request);
    if (problem) return refused(problem);
    const { account, to, currency, amount, fee, waits } = request;
    if (request.dry) return { status: 200 };
    const name = `payout ${this.all.size + 1}`;
    const hold = `hold of ${name}`;
    if (!waits) this.#book.hold(hold, { account, amount: amount + fee });
    this.all.set(name, {
      ...{ account, to, currency, amount, fee, hold, status: waits ? 'requires_approval' : 'pending', version: 1 },
      ...{ unknown: false, returned: 0n, returns: 0, returnSteps: 0, sent: false, takenBack: null },
    });
    this.#book.tell('payout.created', name, 1);
    if (waits) this.#book.tell('payout.requires_approval', name, ++this.all.get(name)!.version);
    return { status: 202, resource: name };
  }

  /** Of a batch, which has held it: it is held whatever is available, and what became impossible is a payout that fails. */
  make(item: Pick<ReferencePayout, 'account' | 'to' | 'currency' | 'amount' | 'fee'>): string {
    const name = `payout ${this.all.size + 1}`;
    const { account, to, currency, amount, fee } = item;
    const hold = `hold of ${name}`;
    this.#book.hold(hold, { account, amount: amount + fee, forced: true });
    this.all.set(name, {
      ...{ account, to, currency, amount, fee, hold, status: 'pending', version: 1 },
      ...{ unknown: false, returned: 0n, returns: 0, returnSteps: 0, sent: false, takenBack: null },
    });
    this.#book.tell('payout.created', name, 1);
    if (to !== null && this.#book.accounts.get(to)!.status === 'closed') this.#fail(name);
    return name;
  }

  /** What would fail at once is refused, and the approval can be given again. */
  approve(name: string, by: Judge, version: number): Said {
    const payout = this.all.get(name)!;
    const refusal = this.#mayJudge(payout, by, version);
    if (refusal) return refused(refusal);
    const { account, to, amount, fee, hold } = payout;
    const { status } = this.#book.accounts.get(account)!;
    if (status !== 'open') return refused(`account_${status}`);
    if (to !== null && this.#book.accounts.get(to)!.status === 'closed') return refused('account_closed');
    if (!this.#book.hold(hold, { account, amount: amount + fee })) return refused('insufficient_funds');
    payout.status = 'pending';
    this.#book.tell('payout.approved', name, ++payout.version);
    return { status: 200, resource: name };
  }

  reject(name: string, by: Judge, version: number): Said {
    const payout = this.all.get(name)!;
    const refusal = this.#mayJudge(payout, by, version);
    if (refusal) return refused(refusal);
    payout.status = 'rejected';
    this.#book.tell('payout.rejected', name, ++payout.version);
    return { status: 200, resource: name };
  }

  #mayJudge({ status, version }: ReferencePayout, by: Judge, seen: number): string | undefined {
    if (seen !== version) return 'version_mismatch';
    if (status !== 'requires_approval') return 'state_conflict';
    return by === 'maker' ? 'self_approval_forbidden' : undefined;
  }

  #refusal({ account, to, currency, amount, fee, waits }: AcceptPayout): string | undefined {
    const source = this.#book.accounts.get(account);
    if (!source) return 'resource_not_found';
    if (source.status !== 'open') return `account_${source.status}`;
    if (source.currency !== currency) return 'currency_mismatch';
    if (to !== null) {
      const target = this.#book.accounts.get(to);
      if (!target) return 'resource_not_found';
      if (to === account) return 'destination_invalid';
      if (target.status === 'closed') return 'account_closed';
      if (target.currency !== currency) return 'currency_mismatch';
    }
    return waits || this.#book.covers(account, amount + fee) ? undefined : 'insufficient_funds';
  }

  cancel(name: string, ifMatch?: number): Said {
    const payout = this.all.get(name)!;
    if (ifMatch !== undefined && ifMatch !== payout.version) return refused('version_mismatch');
    if (payout.status !== 'pending' && payout.status !== 'requires_approval') return refused('state_conflict');
    if (payout.status === 'pending') this.#book.take(payout.hold, 'released');
    payout.status = 'canceled';
    this.#book.tell('payout.canceled', name, ++payout.version);
    return { status: 200, resource: name };
  }

  reserve(name: string): Said {
    const payout = this.all.get(name)!;
    if (payout.status !== 'pending') return this.#now(name);
    if (this.#book.accounts.get(payout.account)!.status !== 'open') {
      this.#fail(name);
      return this.#now(name);
    }
    this.#book.take(payout.hold, 'captured', payout.amount);
    const entry = this.#post(name, 'reserved', [[payout.account, this.#transit(payout)]], { heldOn: payout.account });
    payout.status = 'processing';
    payout.sent = true;
    this.#book.tell('payout.processing', name, ++payout.version, [entry]);
    // A transfer within the book is paid at once.
    if (payout.to !== null) this.#pay(name);
    return this.#now(name);
  }

  #settle(name: string, word: Word): void {
    const payout = this.all.get(name)!;
    if (payout.status === 'processing') {
      if (word === 'paid') this.#pay(name);
      else if (word === 'rejected') this.#fail(name);
      else this.#wait(payout, false);
    } else if (payout.status === 'paid' && word === 'rejected') {
      const rest = payout.amount - payout.returned;
      this.#except(name);
      this.#giveBack(name, rest);
      // Without a row of its own a return is not known again.
      if (this.#book.returnsApart) payout.takenBack = rest;
    } else if (payout.status === 'failed' && word === 'paid' && payout.sent) {
      const pool = this.#book.chart('pool', payout.currency);
      const entry = this.#post(name, 'paid_after_failed', [[payout.account, pool]], { forced: true, closed: true });
      payout.status = 'paid';
      this.#book.tell('payout.paid', name, ++payout.version, [entry]);
      this.#except(name);
    } else if (word === 'paid' && payout.status !== 'paid' && payout.status !== 'returned') {
      this.#except(name);
    }
  }

  #return(name: string, amount: bigint, notice: string): void {
    const payout = this.all.get(name)!;
    if (payout.status === 'returned' && amount === payout.takenBack) payout.takenBack = null;
    else if (payout.status === 'paid' && amount <= payout.amount - payout.returned)
      this.#giveBack(name, amount, notice);
    else this.#except(name);
  }

  #pay(name: string): void {
    const payout = this.all.get(name)!;
    const { account, to, currency, amount, fee } = payout;
    if (to !== null && this.#book.accounts.get(to)!.status === 'closed') {
      this.#fail(name);
      return;
    }
    this.#book.take(payout.hold, 'captured');
    const movements = [
      { debit: this.#transit(payout), credit: to ?? this.#book.chart('pool', currency), amount },
      { debit: account, credit: this.#book.chart('due_operator', currency), amount: fee },
    ];
    const entry = this.#sure(
      this.#book.post({ resource: name, step: 'paid', movements }, { frozen: true, heldOn: account }),
    );
    payout.status = 'paid';
    payout.unknown = false;
    this.#book.tell('payout.paid', name, ++payout.version, [entry]);
    if (to !== null) this.#tellAccount(to, entry);
  }

  #fail(name: string): void {
    const payout = this.all.get(name)!;
    const entries =
      payout.status === 'processing'
        ? [this.#post(name, 'failed', [[this.#transit(payout), payout.account]], { closed: name })]
        : [];
    this.#book.take(payout.hold, 'released');
    payout.status = 'failed';
    payout.unknown = false;
    this.#book.tell('payout.failed', name, ++payout.version, entries);
  }

  /** The return has the name of the rail's notice, if there was one. */
  #giveBack(name: string, amount: bigint, notice?: string): void {
    const payout = this.all.get(name)!;
    const movements = [{ debit: this.#book.chart('pool', payout.currency), credit: payout.account, amount }];
    const child = notice ?? `return ${payout.returns + 1} of ${name}`;
    payout.returns++;
    const booked = this.#book.returnsApart
      ? { resource: child, step: 'returned' }
      : { resource: name, step: `returned_${++payout.returnSteps}` };
    const entry = this.#sure(this.#book.post({ ...booked, movements }, { closed: name }));
    payout.returned += amount;
    payout.status = payout.returned === payout.amount ? 'returned' : 'paid';
    this.#book.tell('payout.returned', name, ++payout.version, [entry]);
    this.#tellAccount(payout.account, entry);
  }

  /** Money has arrived. */
  #tellAccount(account: string, entry: number): void {
    this.#book.tell('account.updated', account, ++this.#book.accounts.get(account)!.version, [entry]);
  }

  #wait(payout: ReferencePayout, unknown: boolean): void {
    payout.unknown = unknown;
    payout.version += 1;
  }

  #except(name: string): void {
    this.#book.tell('exception.opened', `exception of ${name}`, 1);
  }

  #tellOnce(name: string, id: string, take: (payout: ReferencePayout) => void): Said {
    if (!this.#told.has(id)) {
      this.#told.add(id);
      take(this.all.get(name)!);
    }
    return this.#now(name);
  }

  #now(name: string): Said {
    return { status: 0, resource: name };
  }

  #transit(payout: ReferencePayout): string {
    return this.#book.chart('payouts_in_transit', payout.currency);
  }

  #post(name: string, step: string, [[debit, credit]]: [[string, string]], may: object): number {
    const { amount } = this.all.get(name)!;
    return this.#sure(this.#book.post({ resource: name, step, movements: [{ debit, credit, amount }] }, may));
  }

  #sure(entry: string | number): number {
    if (typeof entry === 'string') throw new Error(`The reference cannot book what it must: ${entry}`);
    return entry;
  }
}
