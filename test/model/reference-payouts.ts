/** The reference with payouts: the result of each request, by the rules of the API reference alone. */
import { ReferenceAccounts } from './reference-accounts.ts';
import { refused, type Said } from './reference-ledger.ts';
import { bodyOf, isKeyed, type KeyedRequest, type Of, type Request, type Word } from './requests.ts';

export interface ReferencePayout {
  readonly account: string;
  readonly to: string | null;
  readonly currency: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly hold: string;
  status: 'pending' | 'processing' | 'paid' | 'failed' | 'canceled' | 'returned';
  unknown: boolean;
  version: number;
  returned: bigint;
  returns: number;
  /** The payout was sent to a rail. */
  sent: boolean;
}

export class ReferenceBook extends ReferenceAccounts {
  readonly payouts = new Map<string, ReferencePayout>();
  /** Ids of the rail's reports that were booked. */
  readonly #told = new Set<string>();

  /**
   * `identity` names the command. A retry after a lost answer keeps its identity; the same request sent again has a new
   * one.
   */
  carryOut(request: Request, identity: string): Said {
    if (request.do === 'void') return this.#void(request.key);
    if (isKeyed(request)) {
      if (request.do === 'accept' && request.dry) return this.#accept(request);
      return this.once(request.key ?? identity, bodyOf(request), () => this.#carryOutKeyed(request));
    }
    switch (request.do) {
      case 'expire':
        return this.expire(request.hold);
      case 'reserve':
        return this.#reserve(request.payout);
      case 'unknown':
        return this.#tellOnce(request.payout, identity, (payout) => {
          if (payout.status === 'processing') this.#wait(payout, true);
        });
      case 'settle':
        return this.#tellOnce(request.payout, request.notice ?? identity, () =>
          this.#settle(request.payout, request.word),
        );
      case 'return': {
        // Too early: the rail will report it again.
        if (this.payouts.get(request.payout)!.status === 'processing') return this.#now(request.payout);
        return this.#tellOnce(request.payout, request.notice, () => this.#return(request.payout, request.amount));
      }
    }
  }

  #carryOutKeyed(request: KeyedRequest): Said {
    switch (request.do) {
      case 'open':
        return this.openAccount(request);
      case 'fund':
        return this.fund(request);
      case 'status':
        return this.changeStatus(request);
      case 'accept':
        return this.#accept(request);
      case 'cancel':
        return this.#cancel(request);
      case 'simulate':
        this.#settle(request.payout, request.word);
        return { status: 200, resource: request.payout };
      case 'post':
        return this.postAny(request);
      case 'hold':
        return this.placeHold(request);
      case 'capture':
        return this.capture(request);
      case 'release':
        return this.release(request);
    }
  }

  #void(key: string): Said {
    const known = this.keys.get(key);
    if (known !== undefined && known !== 'voided') return { status: known.said.status };
    this.keys.set(key, 'voided');
    return { status: 0 };
  }

  protected isLeaving(account: string): boolean {
    return [...this.payouts.values()].some(
      (payout) => payout.account === account && (payout.status === 'pending' || payout.status === 'processing'),
    );
  }

  #accept(request: Of<'accept'>): Said {
    const problem = this.#refusal(request);
    if (problem) return refused(problem);
    if (request.dry) return { status: 200 };
    const name = `payout ${this.payouts.size + 1}`;
    const { account, to, currency, amount, fee } = request;
    const hold = `hold of ${name}`;
    this.hold(hold, { account, amount: amount + fee });
    this.payouts.set(name, {
      ...{ account, to, currency, amount, fee, hold, status: 'pending', version: 1 },
      ...{ unknown: false, returned: 0n, returns: 0, sent: false },
    });
    this.tell('payout.created', name, 1);
    return { status: 202, resource: name };
  }

  #refusal({ account, to, currency, amount, fee }: Of<'accept'>): string | undefined {
    const source = this.accounts.get(account);
    if (!source) return 'resource_not_found';
    if (source.status !== 'open') return `account_${source.status}`;
    if (source.currency !== currency) return 'currency_mismatch';
    if (to !== null) {
      const target = this.accounts.get(to);
      if (!target) return 'resource_not_found';
      if (to === account) return 'destination_invalid';
      if (target.status === 'closed') return 'account_closed';
      if (target.currency !== currency) return 'currency_mismatch';
    }
    return this.covers(account, amount + fee) ? undefined : 'insufficient_funds';
  }

  #cancel({ payout: name, ifMatch }: Of<'cancel'>): Said {
    const payout = this.payouts.get(name)!;
    if (ifMatch !== undefined && ifMatch !== payout.version) return refused('version_mismatch');
    if (payout.status !== 'pending') return refused('state_conflict');
    this.take(payout.hold, 'released');
    payout.status = 'canceled';
    this.tell('payout.canceled', name, ++payout.version);
    return { status: 200, resource: name };
  }

  #reserve(name: string): Said {
    const payout = this.payouts.get(name)!;
    if (payout.status !== 'pending') return this.#now(name);
    if (this.accounts.get(payout.account)!.status !== 'open') {
      this.#fail(name);
      return this.#now(name);
    }
    this.take(payout.hold, 'captured', payout.amount);
    const entry = this.#book(name, 'reserved', [[payout.account, this.#transit(payout)]], { heldOn: payout.account });
    payout.status = 'processing';
    payout.sent = true;
    this.tell('payout.processing', name, ++payout.version, [entry]);
    // A transfer within the book is paid at once.
    if (payout.to !== null) this.#pay(name);
    return this.#now(name);
  }

  #settle(name: string, word: Word): void {
    const payout = this.payouts.get(name)!;
    if (payout.status === 'processing') {
      if (word === 'paid') this.#pay(name);
      else if (word === 'rejected') this.#fail(name);
      else this.#wait(payout, false);
    } else if (payout.status === 'paid' && word === 'rejected') {
      this.#except(name);
      this.#giveBack(name, payout.amount - payout.returned);
    } else if (payout.status === 'failed' && word === 'paid' && payout.sent) {
      const pool = this.chart('pool', payout.currency);
      const entry = this.#book(name, 'paid_after_failed', [[payout.account, pool]], { forced: true, closed: true });
      payout.status = 'paid';
      this.tell('payout.paid', name, ++payout.version, [entry]);
      this.#except(name);
    } else if (word === 'paid' && payout.status !== 'paid' && payout.status !== 'returned') {
      this.#except(name);
    }
  }

  #return(name: string, amount: bigint): void {
    const payout = this.payouts.get(name)!;
    if (payout.status === 'paid' && amount <= payout.amount - payout.returned) this.#giveBack(name, amount);
    else this.#except(name);
  }

  #pay(name: string): void {
    const payout = this.payouts.get(name)!;
    const { account, to, currency, amount, fee } = payout;
    if (to !== null && this.accounts.get(to)!.status === 'closed') {
      this.#fail(name);
      return;
    }
    this.take(payout.hold, 'captured');
    const movements = [
      { debit: this.#transit(payout), credit: to ?? this.chart('pool', currency), amount },
      { debit: account, credit: this.chart('due_operator', currency), amount: fee },
    ];
    const entry = this.#sure(this.post({ resource: name, step: 'paid', movements }, { frozen: true, heldOn: account }));
    payout.status = 'paid';
    payout.unknown = false;
    this.tell('payout.paid', name, ++payout.version, [entry]);
  }

  #fail(name: string): void {
    const payout = this.payouts.get(name)!;
    const entries =
      payout.status === 'processing'
        ? [this.#book(name, 'failed', [[this.#transit(payout), payout.account]], { closed: true })]
        : [];
    this.take(payout.hold, 'released');
    payout.status = 'failed';
    payout.unknown = false;
    this.tell('payout.failed', name, ++payout.version, entries);
  }

  #giveBack(name: string, amount: bigint): void {
    const payout = this.payouts.get(name)!;
    const movements = [{ debit: this.chart('pool', payout.currency), credit: payout.account, amount }];
    const step = `returned_${++payout.returns}`;
    const entry = this.#sure(this.post({ resource: name, step, movements }, { closed: true }));
    payout.returned += amount;
    payout.status = payout.returned === payout.amount ? 'returned' : 'paid';
    this.tell('payout.returned', name, ++payout.version, [entry]);
    if (this.accounts.get(payout.account)!.status === 'closed') this.#except(name);
  }

  #wait(payout: ReferencePayout, unknown: boolean): void {
    payout.unknown = unknown;
    payout.version += 1;
  }

  #except(name: string): void {
    this.tell('reconciliation.exception_opened', name, this.payouts.get(name)!.version);
  }

  #tellOnce(name: string, id: string, take: (payout: ReferencePayout) => void): Said {
    if (!this.#told.has(id)) {
      this.#told.add(id);
      take(this.payouts.get(name)!);
    }
    return this.#now(name);
  }

  #now(name: string): Said {
    return { status: 0, resource: name };
  }

  #transit(payout: ReferencePayout): string {
    return this.chart('payouts_in_transit', payout.currency);
  }

  #book(name: string, step: string, [[debit, credit]]: [[string, string]], may: object): number {
    const { amount } = this.payouts.get(name)!;
    return this.#sure(this.post({ resource: name, step, movements: [{ debit, credit, amount }] }, may));
  }

  #sure(entry: string | number): number {
    if (typeof entry === 'string') throw new Error(`The reference cannot book what it must: ${entry}`);
    return entry;
  }
}
