/**
 * Books the notices in the inbox of one book: late confirmations, rejections, returns. Each is attempted until it is
 * booked or has an exception. The taker (the group) decides what a notice means for its subject.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import { growingPauseMs } from '../instructions/growing-pause.ts';
import type { NoticeSender, PartyNotice } from '../party/party.ts';
import { movedNotices } from './moved-notices.ts';
import { type Inbox, noticeOfRow, payeePlace, type StoredNotice } from './notice.ts';
import { type ClaimedNotices, claimDueNotices, recordNotices } from './notice-store.ts';

export interface NoticeRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  party(name: string): NoticeSender;
  /** Opens an exception for a notice that cannot be booked. An open exception is not changed. */
  openException(bookId: BookId, exception: NoticeException): Promise<unknown>;
  readonly rowFailed: RowFailed;
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
  /** The subject of the notices, as a noun. */
  readonly noun: string;
  /** The subjects of a book that were submitted to this party, by end-to-end id. */
  find(inbox: Inbox, endToEndIds: readonly string[]): Promise<ReadonlyMap<string, Subject>>;
  /**
   * Books a notice by a command of its own, under the notice's id: a repeated one changes nothing. `evidence` is the
   * notice as received, as JSON. Resolves to the subject after it.
   */
  book(inbox: Inbox, subject: Subject, received: { notice: PartyNotice; evidence: string }): Promise<Subject>;
  /** Called after `book` has not booked the notice. Whether the notice came before one that must be booked first. */
  isTooEarly(subject: Subject, notice: Pick<PartyNotice, 'kind'>): boolean;
  /** Of one that is too early: whether the notices after it are booked all the same. Without this they wait for it. */
  waitsAlone?(notice: Pick<PartyNotice, 'kind'>): boolean;
}

/**
 * A missing subject may appear: after a restore from a backup, its client repeats the request under its key. Until the
 * stored answers of that time are dropped (IDEMPOTENCY_BODY_RETENTION_DAYS), notices about it are attempted again.
 */
export const UNCLAIMED_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
/** The pauses between attempts. After the last the pause doubles, up to a day. */
const PAUSES_MS = [2_000, 5_000, 15_000, 60_000, 300_000];
/** For a notice that is too early, such as a return before the payment: the customer's money must not wait longer. */
const EARLY_PAUSE_MAX_MS = 300_000;
/**
 * Several times the 10 s that a command may wait for its book, because the notices of one instruction are booked in
 * turn.
 */
const CLAIMED_MS = 60_000;
/** Notices of a job's first round. After one that booked all of its notices, the next takes twice as many. */
const CLAIMED_FIRST = 100;
/** As many commands as a batch commits at once, and no more than a book's queue takes beside those of its requests. */
const CLAIMED_MAX = 800;
/** Most notices that a round loads beside those that it attempts, the oldest first. */
const LOADED_BESIDE = 900;
/** The remaining notices stay due, and the job queues again behind those of other books. */
const CLAIMED_OF_A_JOB = 4_000;

interface Round {
  readonly taken: Uuid[];
  /** An exception is open for a person. */
  readonly excepted: Uuid[];
  readonly postponed: { id: Uuid; nextAttemptAt: Instant }[];
  unclaimed: number;
}

export interface TakenNotices {
  /** Booked, known already, or an exception now. */
  readonly done: number;
  /** The job has ended with notices that are due. */
  readonly isUnfinished: boolean;
}

/**
 * Notices that are booked cost no more than the answers of a rail would, and are taken as fast as their book commits. For those that
 * are not, a round is followed by a pause in proportion to them: an inbox of nothing but such notices takes at most half of it.
 */
export async function takeNotices<Subject>(
  runtime: NoticeRuntime,
  taker: NoticeTaker<Subject>,
  inbox: Inbox,
): Promise<TakenNotices> {
  let done = 0;
  let attempted = 0;
  for (let claim = CLAIMED_FIRST; ; ) {
    const begun = performance.now();
    const now = runtime.clock.now();
    const claimed = await claimDueNotices(runtime.pool, inbox, {
      now,
      until: now + CLAIMED_MS,
      claim,
      read: claim + LOADED_BESIDE,
    });
    if (claimed.ids.size === 0) return { done, isUnfinished: false };
    const { taken, excepted } = await takeClaimed(runtime, taker, { inbox, claimed });
    done += taken.length + excepted.length;
    attempted += claimed.ids.size;
    if (claimed.ids.size < claim) return { done, isUnfinished: false };
    if (attempted >= CLAIMED_OF_A_JOB) return { done, isUnfinished: true };
    const unbooked = 1 - Math.min(taken.length, claim) / claim;
    if (unbooked > 0) await delay((performance.now() - begun) * unbooked);
    claim = unbooked > 0 ? CLAIMED_FIRST : Math.min(2 * claim, CLAIMED_MAX);
  }
}

/** Books instructions concurrently, and the notices about one instruction in the order in which the party sent them. */
async function takeClaimed<Subject>(
  runtime: NoticeRuntime,
  taker: NoticeTaker<Subject>,
  { inbox, claimed }: { inbox: Inbox; claimed: ClaimedNotices },
): Promise<Round> {
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
      takeNoticesOf(runtime, taker, { inbox, subject: subjects.get(endToEndId), notices, due: claimed.ids, round }),
    ),
  );
  await recordNotices(runtime.pool, inbox, round, runtime.clock.now());
  if (round.unclaimed > 0)
    runtime.warn(new Error(`${inbox.party} tells of ${taker.noun}s that are not there`), round.unclaimed);
  const done = [...round.taken, ...round.excepted];
  await acknowledge(runtime, inbox.party, done);
  return round;
}

interface Turn<Subject> {
  readonly inbox: Inbox;
  readonly subject: Subject | undefined;
  readonly notices: readonly StoredNotice[];
  /** The notices that this round attempts. */
  readonly due: ReadonlySet<Uuid>;
  readonly round: Round;
}

async function takeNoticesOf<Subject>(
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
    const failed = (error: unknown) =>
      runtime.rowFailed(movedNotices, { bookId: inbox.bookId, id: `${inbox.party}:${notice.id}` }, error);
    const rest = notices.slice(at);
    const kind = whyNotBooked(notice, { isThere: subject !== undefined, now });
    if (kind !== undefined) {
      try {
        await runtime.openException(inbox.bookId, exceptionOf(inbox, taker.noun, { notice, kind }));
        failpoint('notice.book.after');
      } catch (error) {
        await failed(error);
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
      await failed(error);
      return;
    }
    if (!taker.isTooEarly(subject, notice)) round.taken.push(notice.id);
    else if (taker.waitsAlone?.(notice)) postpone([notice], EARLY_PAUSE_MAX_MS);
    else return postpone(rest, EARLY_PAUSE_MAX_MS);
  }
}

/** The kind of exception for a notice that can never be booked. */
function whyNotBooked(
  { kind, stuckAt, sentAt }: StoredNotice,
  { isThere, now }: { isThere: boolean; now: Instant },
): NoticeException['kind'] | undefined {
  if (kind === 'unreadable') return 'notice_unreadable';
  if (!isThere && stuckAt === null && now >= sentAt + UNCLAIMED_KEPT_MS) return 'notice_unclaimed';
  return undefined;
}

function openNotice({ secretBox }: NoticeRuntime, inbox: Inbox, notice: StoredNotice): PartyNotice {
  return noticeOfRow(inbox.bookId, notice, (sealed) => secretBox.open(sealed, payeePlace(inbox, notice.id)));
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
