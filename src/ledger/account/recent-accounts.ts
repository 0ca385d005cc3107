/**
 * Accounts as they were within a minute: enough to spare a call or a commit in vain. A decision reads the account under
 * the lock of its book and judges again, so a change meanwhile costs a call at most.
 */

import type { Queryable } from '../../db/pool.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';
import type { Account } from './account.ts';
import { accounts } from './account-table.ts';

/** An account is about a kilobyte: some megabytes. */
const KNOWN_MAX = 10_000;
const KNOWN_MS = 60_000;

export class RecentAccounts {
  readonly #db: Queryable;
  readonly #now: () => number;
  readonly #known = new BoundedMap<string, { account: Account; readAt: number }>(KNOWN_MAX);

  constructor(db: Queryable, { now = () => performance.now() }: { now?: () => number } = {}) {
    this.#db = db;
    this.#now = now;
  }

  /**
   * Whether one of a minute ago, or as it is now, is fit: the newest is read where the earlier one is not. An account that
   * is not there is not fit.
   */
  async isFit(bookId: BookId, id: Uuid, judge: (account: Account | undefined) => boolean): Promise<boolean> {
    const key = `${bookId}:${id}`;
    const known = this.#known.get(key);
    if (known !== undefined && this.#now() < known.readAt + KNOWN_MS && judge(known.account)) return true;
    const readAt = this.#now();
    const account = await accounts.find(this.#db, bookId, id);
    if (account) this.#known.set(key, { account, readAt });
    return judge(account);
  }
}
