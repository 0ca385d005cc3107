/** What rails tell of their own accord: late confirmations, rejections, returns. Taken in, then acknowledged: told twice, booked once. */
import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { failpoint } from '../failpoints.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command } from '../ledger/command.ts';
import type { Committer } from '../ledger/committer.ts';
import type { Logger } from '../log.ts';
import { failureCodeOf } from '../rails/failure-codes.ts';
import type { Rail, RailNotice } from '../rails/rail.ts';
import type { Payout } from './payout.ts';
import { findPayoutByEndToEndId } from './payout-store.ts';
import { returnPayout } from './return-payout.ts';
import { settlePayout } from './settle-payout.ts';

export interface NoticeRuntime {
  pool: Pool;
  committer: Committer;
  log: Logger;
  clock: Clock;
  rail(name: string): Rail;
  /** Told of payouts that are not there, again and again while their rail tells of them. */
  warnUnclaimed(error: Error): void;
}

/**
 * A payout that is not there may come back: after a restore from a backup, its client asks again under its key. Until the
 * stored answers of that time are dropped (IDEMPOTENCY_BODY_RETENTION_DAYS), what its rail tells of it comes again.
 */
const UNCLAIMED_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

const NOTICES_AT_ONCE = 100;

/** Pages of one bell. What lies behind them waits for the next one. */
const PAGES = 50;

/**
 * Takes in what waits, a page of a hundred after the other, so that those which came too early do not hide those behind
 * them. Answers with how many were acknowledged; the rest come again.
 */
export async function takeNotices(runtime: NoticeRuntime, railName: string): Promise<number> {
  let taken = 0;
  const unclaimed: RailNotice[] = [];
  let last: Uuid | undefined;
  for (let page = 0; page < PAGES; page++) {
    const notices = await runtime.rail(railName).notices(NOTICES_AT_ONCE, last);
    taken += await takePage(runtime, railName, { notices, unclaimed });
    if (notices.length < NOTICES_AT_ONCE) break;
    last = notices.at(-1)!.id;
  }
  const [first] = unclaimed;
  if (first)
    runtime.warnUnclaimed(
      new Error(`${unclaimed.length} notices of ${railName}, the first ${first.id} about ${first.endToEndId}`),
    );
  return taken;
}

interface Page {
  readonly notices: readonly RailNotice[];
  /** Takes in those about payouts that are not there. */
  readonly unclaimed: RailNotice[];
}

/** Payouts side by side; what a rail tells of one payout is taken in in the order in which it was told. */
async function takePage(runtime: NoticeRuntime, railName: string, { notices, unclaimed }: Page): Promise<number> {
  const rail = runtime.rail(railName);
  const taken: Uuid[] = [];
  const ofPayouts = new Map<string, RailNotice[]>();
  for (const notice of notices) {
    const key = `${notice.originator} ${notice.endToEndId}`;
    ofPayouts.set(key, [...(ofPayouts.get(key) ?? []), notice]);
  }
  await Promise.all(
    [...ofPayouts.values()].map(async (ofPayout) => {
      for (const notice of ofPayout) {
        if (!(await isTaken(runtime, railName, { notice, unclaimed }))) return;
        taken.push(notice.id);
      }
    }),
  );
  if (taken.length > 0) {
    failpoint('rail.acknowledge.before');
    await rail.acknowledge(taken);
    failpoint('rail.acknowledge.after');
  }
  return taken.length;
}

/** Whether it needs not be told again. */
async function isTaken(
  runtime: NoticeRuntime,
  railName: string,
  { notice, unclaimed }: { notice: RailNotice; unclaimed: RailNotice[] },
): Promise<boolean> {
  try {
    const payout = await takeNotice(runtime, notice);
    if (payout) return payout.status !== 'processing';
    if (runtime.clock.now() < notice.createdAt + UNCLAIMED_KEPT_MS) {
      unclaimed.push(notice);
      return false;
    }
    const facts = { rail: railName, notice: notice.id, end_to_end_id: notice.endToEndId };
    runtime.log.error(facts, 'a notice about a payout that is not there is given up');
    return true;
  } catch (error) {
    runtime.log.error({ err: error, rail: railName, notice: notice.id }, 'notice not taken in; it will come again');
    return false;
  }
}

/** Books one notice; undefined when no payout of ours has its id. One that is still `processing` was too early for it. */
export async function takeNotice(
  runtime: Pick<NoticeRuntime, 'pool' | 'committer'>,
  notice: RailNotice,
): Promise<Payout | undefined> {
  const bookId: BookId = notice.originator;
  const payout = await findPayoutByEndToEndId(runtime.pool, bookId, notice.endToEndId);
  if (!payout) return undefined;
  return runtime.committer.submit(bookId, noticeCommand(bookId, payout, notice));
}

/** What a notice means for its payout. */
export function noticeCommand(bookId: BookId, payout: Payout, notice: RailNotice): Command<Payout> {
  if (notice.kind === 'returned') {
    const amount = notice.amount ?? payout.amount - payout.amountReturned;
    return returnPayout(bookId, payout, { id: notice.id, amount, reason: notice.code ?? null, raw: notice });
  }
  return settlePayout(bookId, payout, {
    call: 'notice',
    noticeId: notice.id,
    status: notice.kind,
    ...(notice.kind === 'rejected' ? { failureCode: failureCodeOf(notice.code) } : {}),
    ...(notice.code ? { railCode: notice.code } : {}),
    nextInquiryMs: 0,
    raw: notice,
  });
}
