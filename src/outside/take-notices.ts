/**
 * Books the notices in the inbox of one book: late confirmations, rejections, returns. Each is attempted until it is
 * booked or has become an exception. The taker (the group) decides what a notice means for its subject.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import type { BookId } from '../ledger/book.ts';
import { failpoint } from '../process/failpoints.ts';
import type { Clock, Instant } from '../values/clock.ts';
import { deriveId, type Uuid } from '../values/ids.ts';
import { growingPauseMs } from './growing-pause.ts';
import { type Inbox, payeePlace, type StoredNotice, toldNotice } from './notice.ts';
import { type ClaimedNotices, claimDueNotices, recordNotices } from './notice-store.ts';
import type { NoticeSource, PartyNotice } from './party.ts';

export interface NoticeRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  party(name: string): NoticeSource;
  /** Opens an exception for a notice that cannot be booked. An open exception is not changed. */
  openException(bookId: BookId, exception: NoticeException): Promise<unknown>;
  /**
   * Called with the error of one row. After a transient error the row is attempted again; a bug marks it stuck. Does
   * not throw.
   */
  noticeFailed(inbox: Inbox, id: Uuid, error: unknown): Promise<void>;
  /**
   * Warns of lasting conditions: notices about unknown subjects, a party that accepts no acknowledgement. Rarely for
   * the same cause.
   */
  warn(error: unknown, notices?: number): void;
}

export interface NoticeException {
  readonly id: Uuid;
  readonly kind: 'notice_unreadable' | 'notice_unclaimed';
  readonly resource: 'rail_notice';
  readonly resourceId: Uuid;
  readonly detail: string;
}

/** Books notices: implemented by the group whose resource they are about. */
export interface NoticeTaker<Subject> {
  /** The subject of the notices, in a word. */
  readonly noun: string;
  /** The subjects of a book that were submitted to this party, by end-to-end id. */
  find(inbox: Inbox, endToEndIds: readonly string[]): Promise<ReadonlyMap<string, Subject>>;
  /**
   * Takes a notice in by a command of its own, under the notice's id: one that was taken in before changes nothing.
   * `evidence` is the notice as it came, as JSON. Resolves to the subject as it is then.
   */
  book(inbox: Inbox, subject: Subject, told: { notice: PartyNotice; evidence: string }): Promise<Subject>;
  /** Called after `book` has not booked the notice. Whether the notice came before one that must be booked first. */
  isTooEarly(subject: Subject, notice: Pick<PartyNotice, 'kind'>): boolean;
  /** Of one that is too early: whether those behind it are taken all the same. Without this they wait for it. */
  waitsAlone?(notice: Pick<PartyNotice, 'kind'>): boolean;
}

/**
 * What is not there may come back: after a restore from a backup, its client asks again under its key. Until the stored
 * answers of that time are dropped (IDEMPOTENCY_BODY_RETENTION_DAYS), what its party tells of it is attempted again.
 */
const UNCLAIMED_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
/** The pauses between attempts. After the last the pause doubles, up to a day. */
const PAUSES_MS = [2_000, 5_000, 15_000, 60_000, 300_000];
/** For a notice that is too early, such as a return before the payment: the customer's money must not wait longer. */
const EARLY_PAUSE_MAX_MS = 300_000;
/**
 * Several times the 10 s that a command may wait for its book, because the notices of one instruction are booked in
 * turn.
 */
const CLAIMED_MS = 60_000;
const CLAIMED_AT_ONCE = 100;
/** Most notices that a round loads, the oldest first. */
const LOADED_AT_ONCE = 1_000;
/** Rounds of one job. The remaining notices stay due, and other books have their turn. */
const ROUNDS = 10;

interface Round {
  readonly taken: Uuid[];
  /** An exception is open for a person. */
  readonly excepted: Uuid[];
  readonly postponed: { id: Uuid; nextAttemptAt: Instant }[];
  unclaimed: number;
}

/**
 * Resolves to how many notices need not be told again: booked, known already, or an exception now. Between rounds it
 * pauses for as long as the last one took, so that a large inbox takes at most half of the time.
 */
export async function takeNotices<Subject>(
  runtime: NoticeRuntime,
  taker: NoticeTaker<Subject>,
  inbox: Inbox,
): Promise<number> {
  let done = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    const now = runtime.clock.now();
    const claimed = await claimDueNotices(runtime.pool, inbox, {
      now,
      until: now + CLAIMED_MS,
      claim: CLAIMED_AT_ONCE,
      read: LOADED_AT_ONCE,
    });
    if (claimed.ids.size === 0) break;
    done += await takeClaimed(runtime, taker, { inbox, claimed });
    if (claimed.ids.size < CLAIMED_AT_ONCE) break;
    await delay(performance.now() - begun);
  }
  return done;
}

/** Books instructions concurrently, and the notices about one instruction in the order in which the party sent them. */
async function takeClaimed<Subject>(
  runtime: NoticeRuntime,
  taker: NoticeTaker<Subject>,
  { inbox, claimed }: { inbox: Inbox; claimed: ClaimedNotices },
): Promise<number> {
  const about = new Map<string, StoredNotice[]>();
  for (const notice of claimed.notices) {
    const known = about.get(notice.endToEndId);
    if (known) known.push(notice);
    else about.set(notice.endToEndId, [notice]);
  }
  const subjects = await taker.find(inbox, [...about.keys()]);
  const round: Round = { taken: [], excepted: [], postponed: [], unclaimed: 0 };
  await Promise.all(
    [...about].map(([endToEndId, notices]) =>
      takeInTurn(runtime, taker, { inbox, subject: subjects.get(endToEndId), notices, due: claimed.ids, round }),
    ),
  );
  await recordNotices(runtime.pool, inbox, round, runtime.clock.now());
  if (round.unclaimed > 0)
    runtime.warn(new Error(`${inbox.party} tells of ${taker.noun}s that are not there`), round.unclaimed);
  const done = [...round.taken, ...round.excepted];
  await acknowledge(runtime, inbox.party, done);
  return done.length;
}

interface Turn<Subject> {
  readonly inbox: Inbox;
  readonly subject: Subject | undefined;
  readonly notices: readonly StoredNotice[];
  /** The notices that this round attempts. */
  readonly due: ReadonlySet<Uuid>;
  readonly round: Round;
}

async function takeInTurn<Subject>(
  runtime: NoticeRuntime,
  taker: NoticeTaker<Subject>,
  { inbox, subject: found, notices, due, round }: Turn<Subject>,
): Promise<void> {
  let subject = found;
  const now = runtime.clock.now();
  for (const [at, notice] of notices.entries()) {
    const postpone = (some: readonly StoredNotice[], pauseMaxMs = Number.POSITIVE_INFINITY) => {
      for (const { id, stuckAt, attempts } of some) {
        if (!due.has(id) || stuckAt !== null) continue;
        const pause = Math.min(growingPauseMs(PAUSES_MS, attempts, id), pauseMaxMs);
        round.postponed.push({ id, nextAttemptAt: now + pause });
      }
    };
    const rest = notices.slice(at);
    const kind = whyNotBooked(notice, { isThere: subject !== undefined, now });
    if (kind !== undefined) {
      try {
        await runtime.openException(inbox.bookId, exceptionOf(inbox, taker.noun, { notice, kind }));
        failpoint('notice.book.after');
      } catch (error) {
        await runtime.noticeFailed(inbox, notice.id, error);
        return;
      }
      round.excepted.push(notice.id);
      continue;
    }
    // Notices after a stuck one wait for it.
    if (notice.stuckAt !== null) return postpone(rest);
    if (subject === undefined) {
      round.unclaimed += notices.length - at;
      return postpone(rest);
    }
    try {
      subject = await taker.book(inbox, subject, {
        notice: openNotice(runtime, inbox, notice),
        evidence: notice.evidence,
      });
      failpoint('notice.book.after');
    } catch (error) {
      await runtime.noticeFailed(inbox, notice.id, error);
      return;
    }
    if (!taker.isTooEarly(subject, notice)) round.taken.push(notice.id);
    else if (taker.waitsAlone?.(notice)) postpone([notice], EARLY_PAUSE_MAX_MS);
    else return postpone(rest, EARLY_PAUSE_MAX_MS);
  }
}

/** The kind of exception for a notice that can never be booked. */
function whyNotBooked(
  { kind, stuckAt, toldAt }: StoredNotice,
  { isThere, now }: { isThere: boolean; now: Instant },
): NoticeException['kind'] | undefined {
  if (kind === 'unreadable') return 'notice_unreadable';
  if (!isThere && stuckAt === null && now >= toldAt + UNCLAIMED_KEPT_MS) return 'notice_unclaimed';
  return undefined;
}

function openNotice({ secretBox }: NoticeRuntime, inbox: Inbox, notice: StoredNotice): PartyNotice {
  return toldNotice(inbox.bookId, notice, (sealed) => secretBox.open(sealed, payeePlace(inbox, notice.id)));
}

const EXCEPTIONS: Readonly<Record<NoticeException['kind'], string>> = {
  notice_unreadable: 'says nothing that could be booked',
  notice_unclaimed: 'is about a {noun} that is not there, and was not for 30 days',
};

function exceptionOf(
  { party }: Inbox,
  noun: string,
  { notice, kind }: { notice: StoredNotice; kind: NoticeException['kind'] },
): NoticeException {
  const why = EXCEPTIONS[kind].replace('{noun}', noun);
  return {
    id: deriveId('exception', party, notice.id),
    kind,
    resource: 'rail_notice',
    resourceId: notice.id,
    detail: `A notice of ${party} about ${notice.endToEndId || `no ${noun}`} ${why}. Nothing was booked.`,
  };
}

/** A notice that is not acknowledged now is acknowledged when it is copied again. */
async function acknowledge(runtime: NoticeRuntime, party: string, ids: readonly Uuid[]): Promise<void> {
  if (ids.length === 0) return;
  failpoint('rail.acknowledge.before');
  await runtime.party(party).acknowledge(ids).catch(runtime.warn);
  failpoint('rail.acknowledge.after');
}
