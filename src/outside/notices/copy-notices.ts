/**
 * Copies the notices that parties send unasked into the inbox (notice-store.ts), from which they are booked
 * (take-notices.ts). A copy that is interrupted is repeated: the inbox knows each notice by book, party and id.
 */

import { byBook } from '../../db/by-book.ts';
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { failpoint } from '../../process/failpoints.ts';
import { encodeActor } from '../../values/actor.ts';
import type { Clock } from '../../values/clock.ts';
import { deriveId, isUuid, publicId, type Uuid } from '../../values/ids.ts';
import { elsewhere } from '../../values/progress.ts';
import { reportCredits } from '../credits/credit-store.ts';
import type { NoticeSender, PartyNotice } from '../party/party.ts';
import { type AgedForeignNotice, findAgedForeignNotices, resolveForeignNotice } from './foreign-notice-store.ts';
import { evidenceOf, type Inbox, type NoticeKinds, payeePlace, storedNotice } from './notice.ts';
import { copyNotices, keepForeignNotices, knownBooks } from './notice-store.ts';
import { type NoticeException, UNCLAIMED_KEPT_MS } from './take-notices.ts';

export interface CopyRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  /** The kinds of notices of these parties. */
  readonly kinds: NoticeKinds;
  /** Undefined for one that the settings no longer have: its notices are left. */
  party(name: string): NoticeSender | undefined;
  /** The operator's book of a mode: it stores notices about books that are not ours. */
  operatorBook(mode: NoticeSender['mode']): Promise<BookId>;
  /** Enqueues the booking of a book's notices of a party. */
  enqueue(bookId: BookId, party: string): void;
  /** Opens an exception for an unclaimed notice. An open exception is not changed. */
  openException(bookId: BookId, exception: NoticeException): Promise<unknown>;
  /** Warns of notices about no book of ours, and of a book whose notices were not copied; rarely for the same cause. */
  warn(error: unknown, notices?: number): void;
}

/** A statement copies this many in a few milliseconds. */
const PAGE = 500;
/** Pages of new notices in one job: the next job continues after them. */
const NEW_PAGES = 20;
/** Pages of known notices in one job, among which the party may have added new ones. */
const KNOWN_PAGES = 2;
/** Exceptions of one job: the sweeper enqueues the next. */
const UNCLAIMED_AT_ONCE = 100;
/** Of the party's text in a sentence. */
const REFERENCE_MAX = 100;
const ACTOR = encodeActor({ type: 'system', part: 'notices' });

/** How far this process has read a party's notices. In memory: a new process reads all open notices again. */
interface Place {
  /** The last new notice that was read. */
  newest: Uuid | undefined;
  /** The position of the round through all open notices. */
  round: Uuid | undefined;
}

/**
 * One for each process. A notice stays open at its party until it is copied (docs/decisions/rail-inbox.md). New notices
 * are read first, after the last one that was read, then a few pages of all open ones, in turn, which include those
 * that could not be copied.
 */
export class NoticeCopier {
  readonly #runtime: CopyRuntime;
  readonly #places = new Map<string, Place>();

  constructor(runtime: CopyRuntime) {
    this.#runtime = runtime;
  }

  /** Resolves to how many notices were new. Throws when the party gives no answer. */
  async copy(name: string): Promise<number> {
    await this.#openUnclaimed(name);
    const party = this.#runtime.party(name);
    if (party === undefined) return 0;
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

  /**
   * What nobody claimed becomes an exception of the operator's, as in an inbox (take-notices.ts), and is resolved by it: its people go on with
   * the exception. Interrupted in between, the exception is there already.
   */
  async #openUnclaimed(name: string): Promise<void> {
    const { pool, clock, openException } = this.#runtime;
    const at = clock.now();
    const page = { parties: [name], before: at - UNCLAIMED_KEPT_MS, limit: UNCLAIMED_AT_ONCE };
    let opened = 0;
    // A notice that fails stays the oldest: a job continues behind it.
    for (let after: AgedForeignNotice | undefined; opened < UNCLAIMED_AT_ONCE; ) {
      const notices = await findAgedForeignNotices(pool, { ...page, after });
      for (const notice of notices) {
        const exception = unclaimedOf(notice);
        try {
          await openException(notice.bookId, exception);
          const reason = `It is the exception ${publicId('exception', exception.id)}.`;
          await resolveForeignNotice(pool, notice, { actor: ACTOR, reason, at });
          opened += 1;
        } catch (error) {
          // Others do not wait for it.
          this.#runtime.warn(error);
        }
      }
      if (notices.length < UNCLAIMED_AT_ONCE) return;
      after = elsewhere('notices that nobody claimed', after, notices.at(-1)!);
    }
  }

  async #copyPage(party: NoticeSender, notices: readonly PartyNotice[]): Promise<number> {
    if (notices.length === 0) return 0;
    const { pool, clock } = this.#runtime;
    await this.#takeCredits(party, notices);
    const named = notices
      .filter(({ credit }) => credit === undefined)
      .map((notice) => ({ bookId: notice.originator, notice }));
    const books = await knownBooks(pool, [...new Set(named.map(({ bookId }) => bookId).filter(isUuid))]);
    const foreign = named.filter(({ bookId }) => !books.has(bookId)).map(({ notice }) => notice);
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
        // Notices about our own books are copied all the same.
        this.#runtime.warn(error);
      }
    }
    let copied = 0;
    for (const [bookId, ofBook] of byBook(named.filter(({ bookId }) => books.has(bookId)))) {
      try {
        copied += await this.#copyOfBook(party.name, bookId, ofBook);
        done.push(...ofBook.map(({ notice }) => notice.id));
      } catch (error) {
        // The notices of other books are copied; these are read again in the next round.
        this.#runtime.warn(error);
      }
    }
    failpoint('notice.copy.after');
    if (done.length > 0) await party.acknowledge(done);
    return copied;
  }

  /**
   * Each is a message of its own: the same credit in two of them is one, and not two of one reference. They stay open at their party where they
   * could not be kept.
   */
  async #takeCredits(party: NoticeSender, notices: readonly PartyNotice[]): Promise<void> {
    const { pool, clock, secretBox } = this.#runtime;
    const kept: Uuid[] = [];
    for (const { id, credit } of notices) {
      if (credit === undefined) continue;
      try {
        const bookId = await this.#runtime.operatorBook(party.mode);
        await reportCredits(pool, { bookId, rail: party.name, secretBox, now: clock.now() }, [credit]);
        kept.push(id);
      } catch (error) {
        this.#runtime.warn(error);
      }
    }
    if (kept.length === 0) return;
    failpoint('notice.copy.after');
    await party.acknowledge(kept, { forget: true });
  }

  /** Resolves to how many are new. */
  async #copyOfBook(party: string, bookId: BookId, received: readonly { notice: PartyNotice }[]): Promise<number> {
    const { pool, clock, secretBox, kinds } = this.#runtime;
    const inbox: Inbox = { bookId, party };
    const now = clock.now();
    const stored = received.map(({ notice }) =>
      storedNotice(notice, { kinds, now, seal: (text) => secretBox.seal(text, payeePlace(inbox, notice.id)) }),
    );
    const copied = await copyNotices(pool, inbox, stored, now);
    if (copied > 0) this.#runtime.enqueue(bookId, party);
    return copied;
  }
}

function unclaimedOf({ rail, id, reference }: AgedForeignNotice): NoticeException {
  const named = reference === '' ? '' : ` under its reference ${reference.slice(0, REFERENCE_MAX)}`;
  return {
    id: deriveId('exception', rail, id),
    kind: 'notice_unclaimed',
    resource: 'rail_notice',
    resourceId: id,
    detail: `A notice of ${rail}${named} is about nobody here, and was not for 30 days. Nothing was booked.`,
  };
}
