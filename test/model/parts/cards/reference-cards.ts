/** The reference's cards and their program: issued, paused, closed and used up by the rules of the API reference. */
import type { ReferenceBook } from '../../reference-book.ts';
import { refused, type Said } from '../../reference-ledger.ts';

export type CardAction = 'freeze' | 'unfreeze' | 'close';

export interface ReferenceCard {
  readonly name: string;
  readonly account: string;
  readonly singleUse: boolean;
  status: 'active' | 'frozen' | 'closed';
  closedReason: 'requested' | 'used' | 'not_issued' | null;
  /** Whether the processor has answered. */
  answered: 'succeeded' | 'failed' | null;
  version: number;
}

export interface IssueCard {
  readonly account: string;
  readonly singleUse: boolean;
}

export interface ChangeCard {
  readonly card: string;
  readonly action: CardAction;
  readonly ifMatch?: number;
}

/** What a program says of later purchases. */
export interface Terms {
  /** Whether cash costs 30 and one per cent. */
  readonly fee: boolean;
  /** How long an authorization holds. */
  readonly days: number;
}

export class ReferenceCards {
  readonly #book: ReferenceBook;
  readonly all = new Map<string, ReferenceCard>();
  terms: Terms = { fee: false, days: 7 };
  #programVersion = 1;

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  card(name: string): ReferenceCard {
    return this.all.get(name)!;
  }

  areOpen(account: string): boolean {
    return [...this.all.values()].some((card) => card.account === account && card.status !== 'closed');
  }

  issue({ account, singleUse }: IssueCard): Said {
    const known = this.#book.accounts.get(account);
    if (!known) return refused('resource_not_found');
    if (known.status === 'closed') return refused('account_closed');
    const name = `card ${this.all.size + 1}`;
    const nothing = { closedReason: null, answered: null, version: 1 };
    this.all.set(name, { name, account, singleUse, status: 'active', ...nothing });
    this.#book.tell('card.created', name, 1);
    return { status: 202, resource: name };
  }

  /** The first answer counts. A card that is not issued is closed. */
  answer(name: string, isIssued: boolean): Said {
    const card = this.card(name);
    if (card.answered === null) {
      card.answered = isIssued ? 'succeeded' : 'failed';
      const told = !isIssued && card.status !== 'closed' ? 'card.closed' : 'card.updated';
      if (!isIssued) Object.assign(card, { status: 'closed', closedReason: 'not_issued' });
      this.#book.tell(told, name, ++card.version);
    }
    return { status: 0, resource: card.answered };
  }

  change({ card: name, action, ifMatch }: ChangeCard): Said {
    const card = this.card(name);
    if (ifMatch !== undefined && ifMatch !== card.version) return refused('version_mismatch');
    const possible = { active: ['freeze', 'close'], frozen: ['unfreeze', 'close'], closed: [] as string[] };
    if (!possible[card.status].includes(action)) return refused('state_conflict');
    if (action === 'close') this.#close(card, 'requested');
    else {
      card.status = action === 'freeze' ? 'frozen' : 'active';
      this.#book.tell(action === 'freeze' ? 'card.frozen' : 'card.unfrozen', name, ++card.version);
    }
    return { status: 200, resource: name };
  }

  /** A single-use card closes with the first amount that is approved. */
  use(card: ReferenceCard): void {
    if (card.singleUse && card.status !== 'closed') this.#close(card, 'used');
  }

  changeProgram(terms: Terms): Said {
    const isSame = terms.fee === this.terms.fee && terms.days === this.terms.days;
    this.terms = terms;
    if (!isSame) this.#book.tell('card_program.updated', 'the book', ++this.#programVersion);
    return { status: 200, resource: 'the book' };
  }

  #close(card: ReferenceCard, closedReason: 'requested' | 'used'): void {
    Object.assign(card, { status: 'closed', closedReason });
    this.#book.tell('card.closed', card.name, ++card.version);
  }
}
