/**
 * Copies what rails tell of their own accord into the inbox (notice-store.ts), from which it is booked (take-notices.ts). A copy
 * that dies on the way is made again: the inbox knows each notice by book, rail and id.
 */
import type { Clock } from '../clock.ts';
import { byBook } from '../db/by-book.ts';
import type { Forms } from '../db/forms.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { failpoint } from '../failpoints.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { operatorBooks } from '../organisations/organisation-store.ts';
import type { Rail, RailNotice } from '../rails/rail.ts';
import { evidenceOf, payeePlace, storedNotice } from './notice.ts';
import { copyNotices, keepForeignNotices, knownBooks } from './notice-store.ts';

export interface CopyRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  readonly forms: Pick<Forms, 'contracted'>;
  rail(name: string): Rail;
  /** Enqueues the booking of a book's notices of a rail. */
  enqueue(bookId: BookId, railName: string): void;
  /** Warns of notices about no book of ours, and of a book whose notices were not copied; seldom for the same cause. */
  warn(error: unknown, notices?: number): void;
}

/** As many as a statement copies in a few milliseconds. */
const PAGE = 500;
/** Pages of new notices in one job: the next job goes on behind them. */
const NEW_PAGES = 20;
/** Pages of known notices in one job, of which the rail may have told others meanwhile. */
const KNOWN_PAGES = 2;

/** How far this process has come at a rail. Kept in memory: a process that starts again reads what is open once more. */
interface Place {
  /** The last notice of all that were read. */
  newest: Uuid | undefined;
  /** Where the round through all open notices is. */
  round: Uuid | undefined;
}

/**
 * One for each process. Until the installation is contracted a notice stays open at its rail until it is booked or has become
 * an exception, so that a process of release 0.1.0, which knows no inbox, finds it there (docs/decisions/rail-inbox.md). What is
 * copied already is therefore read again: new notices first, behind the last one that was read, then a few pages of all that are open, in turn.
 */
export class NoticeCopier {
  readonly #runtime: CopyRuntime;
  readonly #places = new Map<string, Place>();

  constructor(runtime: CopyRuntime) {
    this.#runtime = runtime;
  }

  /** Resolves to how many notices were new. Throws when the rail gives no answer. */
  async copy(railName: string): Promise<number> {
    const rail = this.#runtime.rail(railName);
    const place = this.#places.get(railName) ?? { newest: undefined, round: undefined };
    this.#places.set(railName, place);
    const begun = place.newest !== undefined;
    let copied = 0;
    for (let page = 0; page < NEW_PAGES; page++) {
      const notices = await rail.notices(PAGE, place.newest);
      copied += await this.#copyPage(rail, notices);
      place.newest = notices.at(-1)?.id ?? place.newest;
      if (notices.length < PAGE) break;
    }
    for (let page = 0; begun && page < KNOWN_PAGES; page++) {
      const notices = await rail.notices(PAGE, place.round);
      copied += await this.#copyPage(rail, notices);
      place.round = notices.length < PAGE ? undefined : notices.at(-1)!.id;
      if (place.round === undefined) break;
    }
    return copied;
  }

  async #copyPage(rail: Rail, notices: readonly RailNotice[]): Promise<number> {
    if (notices.length === 0) return 0;
    const { pool, clock } = this.#runtime;
    const told = notices.map((notice) => ({ bookId: notice.originator, notice }));
    const books = await knownBooks(pool, [...new Set(told.map(({ bookId }) => bookId).filter(isUuid))]);
    const foreign = notices.filter(({ originator }) => !books.has(originator));
    const done: Uuid[] = [];
    if (foreign.length > 0) {
      const kept = foreign.map((notice) => ({
        id: notice.id,
        originator: String(notice.originator).replaceAll('\u0000', '').slice(0, 100),
        evidence: evidenceOf(notice),
      }));
      this.#runtime.warn(new Error(`${rail.name} tells of books that are not ours`), foreign.length);
      try {
        const bookId = (await operatorBooks(pool))[rail.mode];
        await keepForeignNotices(pool, { bookId, rail: rail.name }, kept, clock.now());
        done.push(...foreign.map(({ id }) => id));
      } catch (error) {
        // What is about books of ours is copied all the same.
        this.#runtime.warn(error);
      }
    }
    // Once the installation is contracted, no release comes back that knows no inbox.
    const acknowledgesCopies = this.#runtime.forms.contracted;
    let copied = 0;
    for (const [bookId, ofBook] of byBook(told.filter(({ bookId }) => books.has(bookId)))) {
      try {
        const results = await this.#copyOfBook(rail.name, bookId, ofBook);
        copied += results.filter(({ fresh }) => fresh).length;
        done.push(...results.filter(({ status }) => acknowledgesCopies || status !== 'waiting').map(({ id }) => id));
      } catch (error) {
        // The other books' are copied; these are read again in the next round.
        this.#runtime.warn(error);
      }
    }
    failpoint('notice.copy.after');
    if (done.length > 0) await rail.acknowledge(done);
    return copied;
  }

  async #copyOfBook(railName: string, bookId: BookId, told: readonly { notice: RailNotice }[]) {
    const { pool, clock, secretBox } = this.#runtime;
    const now = clock.now();
    const stored = told.map(({ notice }) =>
      storedNotice(notice, now, (text) => secretBox.seal(text, payeePlace({ bookId, rail: railName }, notice.id))),
    );
    const results = await copyNotices(pool, { bookId, rail: railName }, stored, now);
    if (results.some(({ fresh }) => fresh)) this.#runtime.enqueue(bookId, railName);
    return results;
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function isUuid(text: unknown): boolean {
  return typeof text === 'string' && UUID.test(text);
}
