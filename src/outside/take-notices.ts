/** Books what the inbox holds of one book: late confirmations, rejections, returns. Attempted again until it is done. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Instant } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { failpoint } from '../failpoints.ts';
import { deriveId, type Uuid } from '../ids.ts';
import { JsonText } from '../json.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command } from '../ledger/command.ts';
import type { Committer } from '../ledger/committer.ts';
import { failureCodeOf } from '../rails/failure-codes.ts';
import type { Rail, RailNotice } from '../rails/rail.ts';
import { growingPauseMs } from './growing-pause.ts';
import { aliasOf, inquiryPauseMs } from './inquiry.ts';
import { evidenceOf, payeePlace, railNotice, type StoredNotice } from './notice.ts';
import { type ClaimedNotices, claimDueNotices, type Inbox, recordNotices } from './notice-store.ts';
import type { Payout } from './payout.ts';
import { findPayoutsByEndToEndId } from './payout-store.ts';
import { mismatchesOf, type RailMismatch } from './rail-mismatch.ts';
import { returnPayout } from './return-payout.ts';
import { settlePayout } from './settle-payout.ts';

export interface NoticeRuntime {
  readonly pool: Pool;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  rail(name: string): Rail;
  /** Called with what went wrong with one row: bad luck is attempted again, a bug marks the row stuck. Does not throw. */
  noticeFailed(inbox: Inbox, id: Uuid, error: unknown): Promise<void>;
  /** Warns of what lasts: notices of payouts that are not there, a rail that takes no acknowledgement. Seldom for the same cause. */
  warn(error: unknown, notices?: number): void;
}

/**
 * A payout that is not there may come back: after a restore from a backup, its client asks again under its key. Until the
 * stored answers of that time are dropped (IDEMPOTENCY_BODY_RETENTION_DAYS), what its rail tells of it is attempted again.
 */
const UNCLAIMED_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
/** The pauses between attempts; then they double, up to a day. */
const PAUSES_MS = [2_000, 5_000, 15_000, 60_000, 300_000];
/** Of a return whose payout is about to be paid: its money is not kept from the customer for longer. */
const RETURN_PAUSE_MAX_MS = 300_000;
/** Beyond the 10 s that a command may wait for its book, several times over: the notices of one payout go one by one. */
const CLAIMED_MS = 60_000;
const CLAIMED_AT_ONCE = 100;
/** Of so many notices of the claimed payouts the oldest are attempted. */
const LOADED_AT_ONCE = 1_000;
/** Rounds of one job. What is left stays due, and other books have their turn. */
const ROUNDS = 10;

interface Round {
  readonly taken: Uuid[];
  readonly exceptions: { id: Uuid; exceptionId: Uuid; kind: string; detail: string }[];
  readonly postponed: { id: Uuid; nextAttemptAt: Instant }[];
  unclaimed: number;
}

/**
 * Resolves to how many notices need not be told again: booked, known already, or an exception now. Between rounds it rests as
 * long as the last one took, so that a crowded inbox leaves half of the time to everybody else.
 */
export async function takeNotices(runtime: NoticeRuntime, inbox: Inbox): Promise<number> {
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
    done += await takeClaimed(runtime, inbox, claimed);
    if (claimed.ids.size < CLAIMED_AT_ONCE) break;
    await delay(performance.now() - begun);
  }
  return done;
}

/** Payouts side by side; what a rail told of one payout is booked in the order in which it was told. */
async function takeClaimed(
  runtime: NoticeRuntime,
  inbox: Inbox,
  { ids: due, notices }: ClaimedNotices,
): Promise<number> {
  const ofPayouts = new Map<string, StoredNotice[]>();
  for (const notice of notices) {
    const known = ofPayouts.get(notice.endToEndId);
    if (known) known.push(notice);
    else ofPayouts.set(notice.endToEndId, [notice]);
  }
  const payouts = await findPayoutsByEndToEndId(runtime.pool, inbox.bookId, [...ofPayouts.keys()]);
  const round: Round = { taken: [], exceptions: [], postponed: [], unclaimed: 0 };
  await Promise.all(
    [...ofPayouts].map(([endToEndId, ofPayout]) =>
      takeInTurn(runtime, inbox, { payout: payouts.get(endToEndId), notices: ofPayout, due, round }),
    ),
  );
  await recordNotices(runtime.pool, inbox, round, runtime.clock.now());
  if (round.unclaimed > 0)
    runtime.warn(new Error(`${inbox.rail} tells of payouts that are not there`), round.unclaimed);
  const done = [...round.taken, ...round.exceptions.map(({ id }) => id)];
  await acknowledge(runtime, inbox.rail, done);
  return done.length;
}

interface Turn {
  readonly payout: Payout | undefined;
  readonly notices: readonly StoredNotice[];
  /** Those that this round has to see to. */
  readonly due: ReadonlySet<Uuid>;
  readonly round: Round;
}

async function takeInTurn(runtime: NoticeRuntime, inbox: Inbox, turn: Turn): Promise<void> {
  const { notices, due, round } = turn;
  let payout = turn.payout?.rail === inbox.rail ? turn.payout : undefined;
  const now = runtime.clock.now();
  for (const [at, notice] of notices.entries()) {
    const postponeRest = (pauseMaxMs = Number.POSITIVE_INFINITY) => {
      for (const behind of notices.slice(at)) {
        if (!due.has(behind.id) || behind.stuckAt !== null) continue;
        const pause = Math.min(growingPauseMs(PAUSES_MS, behind.attempts, behind.id), pauseMaxMs);
        round.postponed.push({ id: behind.id, nextAttemptAt: now + pause });
      }
    };
    if (notice.kind === 'unreadable') {
      round.exceptions.push(exceptionOf(inbox, notice, 'notice_unreadable'));
      continue;
    }
    // Those behind one that a bug has stopped wait for it.
    if (notice.stuckAt !== null) return postponeRest();
    if (!payout) {
      if (now >= notice.toldAt + UNCLAIMED_KEPT_MS) {
        round.exceptions.push(exceptionOf(inbox, notice, 'notice_unclaimed'));
        continue;
      }
      round.unclaimed += notices.length - at;
      return postponeRest();
    }
    try {
      payout = await book(runtime, inbox, payout, notice);
    } catch (error) {
      await runtime.noticeFailed(inbox, notice.id, error);
      return;
    }
    // Told before we had taken in that it was paid.
    if (notice.kind === 'returned' && payout.status === 'processing') return postponeRest(RETURN_PAUSE_MAX_MS);
    round.taken.push(notice.id);
  }
}

async function book(runtime: NoticeRuntime, inbox: Inbox, payout: Payout, notice: StoredNotice): Promise<Payout> {
  const told = railNotice(inbox.bookId, notice, (sealed) =>
    runtime.secretBox.open(sealed, payeePlace(inbox, notice.id)),
  );
  const compared = { ...compareNotice(runtime, payout, told), evidence: notice.evidence };
  const settled = await runtime.committer.submit(inbox.bookId, noticeCommand(inbox.bookId, payout, told, compared));
  failpoint('notice.book.after');
  return settled;
}

const EXCEPTIONS = {
  notice_unreadable: 'says nothing that could be booked',
  notice_unclaimed: 'is about a payout that is not there, and was not for 30 days',
};

function exceptionOf(
  { rail }: Inbox,
  notice: StoredNotice,
  kind: keyof typeof EXCEPTIONS,
): Round['exceptions'][number] {
  return {
    id: notice.id,
    exceptionId: deriveId('exception', rail, notice.id),
    kind,
    detail: `A notice of ${rail} about ${notice.endToEndId || 'no payout'} ${EXCEPTIONS[kind]}. Nothing was booked.`,
  };
}

/** What is not acknowledged now is when it is copied again. */
async function acknowledge(runtime: NoticeRuntime, railName: string, ids: readonly Uuid[]): Promise<void> {
  if (ids.length === 0) return;
  failpoint('rail.acknowledge.before');
  await runtime.rail(railName).acknowledge(ids).catch(runtime.warn);
  failpoint('rail.acknowledge.after');
}

/** What was found out about a notice before its command. */
export interface ComparedNotice {
  readonly mismatches: readonly RailMismatch[];
  /** When to ask the rail, where the notice leaves the payout unknown. */
  readonly nextInquiryMs: number;
  /** The notice as it came: JSON. */
  readonly evidence: string;
}

/** Holds what the notice confirms against the payout. */
export function compareNotice(
  runtime: Pick<NoticeRuntime, 'rail' | 'secretBox'>,
  payout: Payout,
  notice: RailNotice,
): ComparedNotice {
  const rail = runtime.rail(payout.rail);
  const report = { status: notice.kind, confirmed: notice.confirmed };
  return {
    mismatches: mismatchesOf(rail, payout, report, (of) => aliasOf(runtime, notice.originator, of)),
    nextInquiryMs: inquiryPauseMs(rail, payout),
    evidence: evidenceOf(notice),
  };
}

/** What a notice means for its payout. */
export function noticeCommand(
  bookId: BookId,
  payout: Payout,
  notice: RailNotice,
  { mismatches, nextInquiryMs, evidence }: ComparedNotice,
): Command<Payout> {
  const raw = new JsonText(evidence);
  if (notice.kind === 'returned') {
    const amount = notice.amount ?? payout.amount - payout.amountReturned;
    return returnPayout(bookId, payout, { id: notice.id, amount, reason: notice.code ?? null, mismatches, raw });
  }
  return settlePayout(bookId, payout, {
    call: 'notice',
    noticeId: notice.id,
    status: notice.kind,
    failureCode: notice.kind === 'rejected' ? failureCodeOf(notice.code) : undefined,
    railCode: notice.code || undefined,
    nextInquiryMs,
    mismatches,
    raw,
  });
}
