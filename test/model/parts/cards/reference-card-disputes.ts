/** The reference's disputes of cardholders: opened, submitted, decided and withdrawn by the rules of the API reference. */
import type { ReferenceBook } from '../../reference-book.ts';
import { refused, type Said } from '../../reference-ledger.ts';
import { type CardDispute, creditedOf, mostDisputed } from './purchase-disputes.ts';
import { atLeastZero } from './purchase-sums.ts';
import { type ReferencePurchase, ReferencePurchases } from './reference-purchases.ts';

export type DisputeAction = 'submit' | 'withdraw' | 'win' | 'lose';

export interface OpenDispute {
  readonly net: string;
  /** Null: all that can be disputed. */
  readonly amount: bigint | null;
}

export interface ActOnDispute {
  readonly dispute: string;
  readonly action: DisputeAction;
  readonly ifMatch?: number;
}

const ALLOWED: Readonly<Record<CardDispute['status'], readonly DisputeAction[]>> = {
  ...{ opened: ['submit', 'withdraw'], submitted: ['withdraw', 'win', 'lose'] },
  ...{ won: [], lost: [], withdrawn: [] },
};
const BECOMES = { submit: 'submitted', withdraw: 'withdrawn', win: 'won', lose: 'lost' } as const;

export class ReferenceCardDisputes {
  readonly #book: ReferenceBook;

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  get all(): readonly CardDispute[] {
    return [...this.#book.of(ReferencePurchases).all.values()].flatMap(({ disputes }) => disputes);
  }

  named(name: string): CardDispute {
    return this.all.find((dispute) => dispute.name === name)!;
  }

  areOpen(account: string): boolean {
    const { all } = this.#book.of(ReferencePurchases);
    return this.all.some(
      ({ net, status }) => all.get(net)!.account === account && (status === 'opened' || status === 'submitted'),
    );
  }

  open({ net, amount }: OpenDispute): Said {
    const purchases = this.#book.of(ReferencePurchases);
    const purchase = purchases.all.get(net)!;
    const most = mostDisputed(purchases.sums(net), purchase.disputes);
    const asked = amount ?? most;
    if (asked <= 0n || asked > most) return refused('amount_above_maximum');
    const name = `card dispute ${this.all.length + 1}`;
    purchase.disputes.push({ name, net, amount: asked, credited: 0n, status: 'opened', version: 1 });
    purchase.version++;
    this.#book.tell('transaction_dispute.opened', name, 1);
    return { status: 201, resource: name };
  }

  act({ dispute: name, action, ifMatch }: ActOnDispute): Said {
    const dispute = this.named(name);
    if (ifMatch !== undefined && ifMatch !== dispute.version) return refused('version_mismatch');
    if (!ALLOWED[dispute.status].includes(action)) return refused('state_conflict');
    const purchases = this.#book.of(ReferencePurchases);
    const purchase = purchases.all.get(dispute.net)!;
    const { standing, refunded } = purchases.sums(dispute.net);
    const room = atLeastZero(standing - refunded - creditedOf(purchase.disputes));
    const before = dispute.credited;
    if (action === 'submit') dispute.credited = dispute.amount < room ? dispute.amount : room;
    if (action === 'withdraw' || action === 'lose') dispute.credited = 0n;
    dispute.status = BECOMES[action];
    const entry = this.#move(purchase, dispute, dispute.credited - before);
    dispute.version++;
    purchase.version++;
    this.#book.tell(`transaction_dispute.${dispute.status}`, name, dispute.version, entry === undefined ? [] : [entry]);
    return { status: 200, resource: name };
  }

  /** What the customer has more of the dispute, or less. Nothing stops it. */
  #move(purchase: ReferencePurchase, { name, status }: CardDispute, more: bigint): number | undefined {
    if (more === 0n) return undefined;
    const book = this.#book;
    const { account, flags } = purchase;
    const owner = book.accounts.get(account)!;
    const scheme = book.chart('scheme_settlement', owner.currency);
    const movement =
      more > 0n ? { debit: scheme, credit: account, amount: more } : { debit: account, credit: scheme, amount: -more };
    const entry = book.post(
      { resource: name, step: status, movements: [movement] },
      { forced: true, frozen: true, closed: name },
    );
    if (typeof entry === 'string') throw new Error(`Nothing refuses what the network decided: ${entry}`);
    // What a credit leaves in a closed account has been told of by the entry.
    const isTold = more > 0n && book.posted(account) > 0n;
    if (owner.status === 'closed' && !isTold) book.tell('exception.opened', `exception of ${name}`, 1);
    if (more < 0n && !book.covers(account, 0n)) flags.add('below_floor');
    if (owner.status !== 'open') flags.add(`account_${owner.status}`);
    return entry;
  }
}
