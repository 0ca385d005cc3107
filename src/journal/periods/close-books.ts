/**
 * Closes days of a book, the first of two commands: from its commit on no entry takes effect on them, so the committer's order decides what
 * was in. What came since the last close is verified behind it (end-close.ts).
 */
import { dayOf } from '../../calendar/day.ts';
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import { requirePerson } from '../../exceptions/handle-exception.ts';
import type { PeriodBlocker } from '../../group/group.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedAs } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { endOfDay } from '../../ledger/clock/finish-day.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { unkept } from '../../ledger/resources/change-of.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import type { Principal } from '../../organisations/authenticate.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { CLOSE_AGAIN_MS } from './moved-periods.ts';
import type { Period } from './period.ts';
import { periodResource, periodView } from './period-resource.ts';
import { findPending, findVerified, type Verified } from './period-store.ts';
import { periods } from './period-table.ts';

/** What a person asks of periods. */
export type PersonAsks = Asked & { readonly ownerKind: Principal['ownerKind'] };

/** The book as a closing or an opening was prepared from it. */
export interface ReadBefore {
  readonly closedThrough: string | null;
  readonly pending: Uuid | undefined;
}

export interface CloseBooks {
  readonly through: string;
  readonly reason: string | null;
  readonly requestId: Uuid;
  readonly actor: string;
  readonly before: ReadBefore & { readonly verified: Verified; readonly blockedBy?: readonly PeriodBlock[] };
}

/** What keeps the days open: its type, a detail with the remedy, and what it names. */
type PeriodBlock = { readonly type: string; readonly detail: string };

type PeriodsRuntime = OnceRuntime & { readonly pool: Pool };
type CloseRuntime = PeriodsRuntime & { readonly blocksPeriods: readonly PeriodBlocker[] };

export const requestClose: UseCase<CloseRuntime, PersonAsks & Pick<CloseBooks, 'through' | 'reason'>> = {
  // A repeated request is answered, although the days are closed by then.
  keyFirst: true,
  async prepare({ pool, blocksPeriods }, input) {
    requirePerson(input);
    const blockedBy: PeriodBlock[] = [];
    for (const { type, find } of blocksPeriods) {
      const found = await find(pool, input.bookId, input.through);
      if (found) blockedBy.push({ type, ...found });
    }
    return { command: closeBooks({ ...input, before: { ...(await readBefore(pool, input.bookId)), blockedBy } }) };
  },
};

async function readBefore(pool: Pool, bookId: Uuid): Promise<CloseBooks['before']> {
  // First: a close that begins between these reads changes the book, and is prepared again.
  const { closedThrough } = (await loadBook(pool, bookId))!;
  return { closedThrough, pending: await findPending(pool, bookId), verified: await findVerified(pool, bookId) };
}

export function closeBooks({ before, through, reason, ...by }: CloseBooks): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId: by.requestId, actor: by.actor };
  const salt = newSalt();
  return {
    ...origin,
    name: 'period.close',
    touches: [{ table: periods, ids: before.pending ? [before.pending] : [] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      requireNoneUnderWay(draft, before);
      const { closedThrough, entrySequence, eventSequence, chainHash } = draft.book;
      if (closedThrough !== null && through <= closedThrough)
        return draft.finish<Refusal>({
          refused: 'state_conflict',
          param: '/through',
          detail: `Days until ${closedThrough} are closed already.`,
          facts: { current_status: 'closed', allowed_actions: [] },
        });
      requireFinished(draft, through);
      requireNothingMissing(before.blockedBy);
      const period: Period = {
        ...{ id: origin.id, status: 'pending', through, closedBefore: closedThrough },
        ...{ sinceSequence: before.verified.sequence, sinceEvent: before.verified.event },
        ...{ throughSequence: entrySequence, throughEvent: eventSequence, chainHash },
        ...{ trialBalanceDigest: null, findings: [], findingsTotal: 0, openItems: [] },
        ...{ actor: by.actor, reason, textSalt: reason === null ? null : salt },
        ...{ reopenedBy: null, reopeningReason: null, reopenedAt: null, reopenedAfter: null },
        ...{ requestId: by.requestId, version: 1, dueAt: moment.wall + CLOSE_AGAIN_MS },
        ...{ createdAt: moment.book, updatedAt: moment.book },
      };
      draft.put(periods, period.id, period);
      draft.enqueue({ pool: 'ledger', job: 'period.close', id: period.id });
      const body = writeJson(periodView(period, draft.livemode));
      const outcome = draft.finish<Stored>(storedAs(periodResource, period, { status: 202, body }));
      // The day is finished: what is posted later is of a later moment.
      return { ...outcome, book: { ...outcome.book, closedThrough: through, lastPostedAt: moment.book } };
    },
  };
}

/** Throws StaleRead where the book is not as it was read, and ApiError `state_conflict`, which is kept nowhere, while a close is under way. */
export function requireNoneUnderWay(draft: Draft, { closedThrough, pending }: ReadBefore): void {
  if (draft.book.closedThrough !== closedThrough)
    throw new StaleRead('Days of the book were closed or opened meanwhile.');
  if (pending === undefined) return;
  if (draft.get(periods, pending)?.status !== 'pending') throw new StaleRead('The close before has ended meanwhile.');
  throw unkept({
    refused: 'state_conflict',
    detail: `${publicId('period', pending)} is being closed.`,
    facts: { current_status: 'pending', allowed_actions: [] },
  });
}

/** Throws ApiError `state_conflict`, which is kept nowhere, while the day lasts, and before it. */
function requireFinished({ book, moment }: Draft, through: string): void {
  const today = dayOf(moment.book, book.timeZone);
  if (through < today) return;
  const waitMs = through === today ? endOfDay(today, book) - moment.book : DAY_MS;
  throw new ApiError('state_conflict', {
    param: '/through',
    detail: `Only days that are over are closed; today is ${today} in ${book.timeZone}.`,
    facts: { current_status: 'unfinished', allowed_actions: [] },
    retryable: true,
    headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) },
  });
}

/** Throws ApiError `state_conflict`, which is kept nowhere: what is missing may come. */
function requireNothingMissing(blockedBy: CloseBooks['before']['blockedBy'] = []): void {
  const [first] = blockedBy;
  if (first === undefined) return;
  throw unkept({
    refused: 'state_conflict',
    param: '/through',
    detail: first.detail,
    facts: {
      current_status: 'open',
      allowed_actions: [],
      blocked_by: blockedBy.map(({ detail: _, ...block }) => block),
    },
  });
}

/** Whoever closes a later day too early asks again a day later. */
const DAY_MS = 86_400_000;
