/**
 * Copies the notices that parties send unasked into the inbox (notice-store.ts), from which they are booked
 * (take-notices.ts). A copy that is interrupted is repeated: the inbox knows each notice by book, party and id.
 */

import { byBook } from '../db/by-book.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import type { BookId } from '../ledger/book.ts';
import { failpoint } from '../process/failpoints.ts';
import type { Clock } from '../values/clock.ts';
import { isUuid, type Uuid } from '../values/ids.ts';
import { evidenceOf, type Inbox, type NoticeKinds, payeePlace, storedNotice } from './notice.ts';
import { copyNotices, keepForeignNotices, knownBooks } from './notice-store.ts';
import type { NoticeSource, PartyNotice } from './party.ts';

export interface CopyRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  /** What the parties of this kind report. */
  readonly kinds: NoticeKinds;
  party(name: string): NoticeSource;
  /** The operator's book of a mode: it keeps notices about books that are not ours. */
  operatorBook(mode: NoticeSource['mode']): Promise<BookId>;
  /** Enqueues the booking of a book's notices of a party. */
  enqueue(bookId: BookId, party: string): void;
  /** Warns of notices about no book of ours, and of a book whose notices were not copied; rarely for the same cause. */
  warn(error: unknown, notices?: number): void;
}

/** A statement copies this many in a few milliseconds. */
const PAGE = 500;
/** Pages of new notices in one job: the next job continues after them. */
const NEW_PAGES = 20;
/** Pages of known notices in one job, among which the party may have added new ones. */
const KNOWN_PAGES = 2;

/** How far this process has read a party's notices. In memory: a new process reads all open notices again. */
interface Place {
  /** The last new notice that was read. */
  newest: Uuid | undefined;
  /** The position of the round through all open notices. */
  round: Uuid | undefined;
}

/**
 * One for each process. A notice stays open at its party until it is copied (docs/decisions/rail-inbox.md). New notices are read first,
 * behind the last one that was read, then a few pages of all that are open, in turn: what could not be copied is among them.
 */
export class NoticeCopier {
  readonly #runtime: CopyRuntime;
  readonly #places = new Map<string, Place>();

  constructor(runtime: CopyRuntime) {
    this.#runtime = runtime;
  }

  /** Resolves to how many notices were new. Throws when the party gives no answer. */
  async copy(name: string): Promise<number> {
    const party = this.#runtime.party(name);
    const place = this.#places.get(name) ?? { newest: undefined, round: undefined };
    this.#places.set(name, place);
    const begun = place.newest !== undefined;
    let copied = 0;
    for (let page = 0; page < NEW_PAGES; page++) {
      const notices = await party.notices(PAGE, place.newest);
      copied += await this.#copyPage(party, notices);
      place.newest = notices.at(-1)?.id ?? place.newest;
      if (notices.length < PAGE) break;
    }
    for (let page = 0; begun && page < KNOWN_PAGES; page++) {
      const notices = await party.notices(PAGE, place.round);
      copied += await this.#copyPage(party, notices);
      place.round = notices.length < PAGE ? undefined : notices.at(-1)!.id;
      if (place.round === undefined) break;
    }
    return copied;
  }

  async #copyPage(party: NoticeSource, notices: readonly PartyNotice[]): Promise<number> {
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
      this.#runtime.warn(new Error(`${party.name} tells of books that are not ours`), foreign.length);
      try {
        const bookId = await this.#runtime.operatorBook(party.mode);
        await keepForeignNotices(pool, { bookId, party: party.name }, kept, clock.now());
        done.push(...foreign.map(({ id }) => id));
      } catch (error) {
        // What is about books of ours is copied all the same.
        this.#runtime.warn(error);
      }
    }
    let copied = 0;
    for (const [bookId, ofBook] of byBook(told.filter(({ bookId }) => books.has(bookId)))) {
      try {
        copied += await this.#copyOfBook(party.name, bookId, ofBook);
        done.push(...ofBook.map(({ notice }) => notice.id));
      } catch (error) {
        // The other books' are copied; these are read again in the next round.
        this.#runtime.warn(error);
      }
    }
    failpoint('notice.copy.after');
    if (done.length > 0) await party.acknowledge(done);
    return copied;
  }

  /** Resolves to how many are new. */
  async #copyOfBook(party: string, bookId: BookId, told: readonly { notice: PartyNotice }[]): Promise<number> {
    const { pool, clock, secretBox, kinds } = this.#runtime;
    const inbox: Inbox = { bookId, party };
    const now = clock.now();
    const stored = told.map(({ notice }) =>
      storedNotice(notice, { kinds, now, seal: (text) => secretBox.seal(text, payeePlace(inbox, notice.id)) }),
    );
    const copied = await copyNotices(pool, inbox, stored, now);
    if (copied > 0) this.#runtime.enqueue(bookId, party);
    return copied;
  }
}
