/**
 * What a command has to name of a card before it is decided: its line, its account, and the controls in force, whose limits have counters of
 * their own. Read outside of the command and kept for a while: whoever decides finds under the lock whether it still holds, and reads anew
 * (StaleRead) where it does not.
 */
import { cards } from '../../cards/card/card-table.ts';
import type { Controls, Scope } from '../../cards/controls/controls.ts';
import { controlsInForce } from '../../cards/controls/controls-table.ts';
import { scopeCounterId } from '../../cards/counters/counter-table.ts';
import { type LineRead, readLine } from '../../cards/lines/line-store.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { Uuid } from '../../values/ids.ts';

export interface CardScope {
  readonly cardId: Uuid;
  readonly line: LineRead;
  readonly accountId: Uuid;
  readonly currency: string;
  /** Versions of the line, the account and the program: active ones, and those that are tried out. */
  readonly versions: readonly Controls[];
  /** In the currency of the account. Every message names each several times, and a hash costs as much as what is decided about one. */
  readonly counterIds: Readonly<Record<Scope, Uuid>>;
}

/** A scope without controls is about a kilobyte, one with full lists a hundred. */
const KNOWN_MAX = 5_000;
const KNOWN_MS = 60_000;

/** Those of a process: one list for each pool of connections. */
export function cardScopesOf(pool: Queryable): CardScopes {
  const known = ofPools.get(pool);
  if (known !== undefined) return known;
  const scopes = new CardScopes(pool);
  ofPools.set(pool, scopes);
  return scopes;
}
const ofPools = new WeakMap<Queryable, CardScopes>();

export class CardScopes {
  readonly #db: Queryable;
  readonly #now: () => number;
  readonly #known = new BoundedMap<string, { scope: CardScope; readAt: number }>(KNOWN_MAX);

  constructor(db: Queryable, { now = () => performance.now() }: { now?: () => number } = {}) {
    this.#db = db;
    this.#now = now;
  }

  /** Undefined for a card that is not there. `anew`: what was read before was overtaken. */
  async of(bookId: BookId, cardId: Uuid, { anew = false }: { anew?: boolean } = {}): Promise<CardScope | undefined> {
    const key = `${bookId}:${cardId}`;
    const known = anew ? undefined : this.#known.get(key);
    const readAt = this.#now();
    if (known !== undefined && readAt < known.readAt + KNOWN_MS) return known.scope;
    const scope = await readScope(this.#db, bookId, cardId);
    if (scope) this.#known.set(key, { scope, readAt });
    return scope;
  }
}

async function readScope(db: Queryable, bookId: BookId, cardId: Uuid): Promise<CardScope | undefined> {
  const [card, line] = await Promise.all([cards.find(db, bookId, cardId), readLine(db, bookId, cardId)]);
  if (card === undefined || line === undefined) return undefined;
  const { accountId, currency } = card;
  const inForce = await controlsInForce.load(db, bookId, [line.lineId, accountId, bookId]);
  const versions = [...inForce.values()].flatMap(({ active, shadow }) => [active, shadow]);
  return {
    ...{ cardId, line, accountId, currency, versions: versions.filter((version) => version !== null) },
    counterIds: counterIdsOf({ card: line.lineId, account: accountId, program: bookId }, currency),
  };
}

export function counterIdsOf(subjects: Readonly<Record<Scope, Uuid>>, currency: string): Record<Scope, Uuid> {
  return {
    card: scopeCounterId(subjects.card, currency),
    account: scopeCounterId(subjects.account, currency),
    program: scopeCounterId(subjects.program, currency),
  };
}
