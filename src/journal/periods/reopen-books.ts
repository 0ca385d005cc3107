/** Opens closed days again: by another person than who closed them, and with a reason. Nothing is dated again. */
import type { Pool } from '../../db/pool.ts';
import { isSameActor } from '../../exceptions/exception.ts';
import { requirePerson } from '../../exceptions/handle-exception.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { UseCase } from '../../idempotency/use-case.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { journalView } from '../journal-view.ts';
import { type PersonAsks, type ReadBefore, requireNoneUnderWay } from './close-books.ts';
import type { Period } from './period.ts';
import { periodResource } from './period-resource.ts';
import { findBehind, findPending } from './period-store.ts';
import { periods } from './period-table.ts';

/** A year of days that were closed one by one, and some more: within the rows that a command may touch. */
const PERIODS_MAX = 500;

export interface ReopenBooks {
  /** The last day that stays closed. Null: none does. */
  readonly after: string | null;
  readonly reason: string;
  readonly requestId: Uuid;
  readonly actor: string;
  /** `behind`: the periods that the days belong to. */
  readonly before: ReadBefore & { readonly behind: readonly Pick<Period, 'id'>[] };
}

type ReopenRuntime = OnceRuntime & { readonly pool: Pool };

export const requestReopening: UseCase<ReopenRuntime, PersonAsks & Pick<ReopenBooks, 'after' | 'reason'>> = {
  // A repeated request is answered, although the days are open by then.
  keyFirst: true,
  async prepare({ pool }, input) {
    requirePerson(input);
    const { bookId, after } = input;
    // First: a close that begins between these reads changes the book, and is prepared again.
    const { closedThrough } = (await loadBook(pool, bookId))!;
    const pending = await findPending(pool, bookId);
    const behind =
      closedThrough === null ? [] : await findBehind(pool, bookId, { after, closedThrough, limit: PERIODS_MAX + 1 });
    return { command: reopenBooks({ ...input, before: { closedThrough, pending, behind } }) };
  },
};

export function reopenBooks({ after, reason, before, ...by }: ReopenBooks): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId: by.requestId, actor: by.actor };
  const ids = before.behind.map(({ id }) => id);
  const salts = new Map(ids.map((id) => [id, newSalt()]));
  return {
    ...origin,
    name: 'period.reopen',
    touches: [{ table: periods, ids: [...ids, ...(before.pending ? [before.pending] : [])] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      requireNoneUnderWay(draft, before);
      const refusal = refuseReopening(draft, { after, ids, actor: by.actor });
      if (refusal) return draft.finish(refusal);
      for (const id of draft.each(ids)) {
        const period = draft.get(periods, id)!;
        if (period.status !== 'closed') continue;
        const reopened: Partial<Period> = {
          ...{ status: 'reopened', reopenedBy: by.actor, reopenedAt: moment.book, reopenedAfter: after },
          ...{ reopeningReason: reason, textSalt: period.textSalt ?? salts.get(id)! },
        };
        advance(draft, periodResource, period, reopened, { event: 'period.reopened' });
      }
      const book = { ...draft.book, closedThrough: after };
      const answer = {
        status: 200,
        body: writeJson(journalView(book)),
        resource: 'book' as const,
        resourceId: book.id,
      };
      return { ...draft.finish<Stored>(answer), book };
    },
  };
}

function refuseReopening(
  draft: Draft,
  { after, ids, actor }: { readonly after: string | null; readonly ids: readonly Uuid[]; readonly actor: string },
): Refusal | undefined {
  const { closedThrough } = draft.book;
  if (closedThrough === null || (after !== null && after >= closedThrough))
    return {
      refused: 'state_conflict',
      param: '/after',
      detail: closedThrough === null ? 'No day is closed.' : `The last day that is closed is ${closedThrough}.`,
      facts: { current_status: 'open', allowed_actions: [] },
    };
  if (ids.length > PERIODS_MAX)
    return {
      refused: 'limit_exceeded',
      param: '/after',
      detail: `At most ${PERIODS_MAX} periods are opened at once: name a later day first.`,
      facts: { limit: PERIODS_MAX },
    };
  if (ids.some((id) => isSameActor(draft.get(periods, id)!.actor, actor)))
    return {
      refused: 'self_approval_forbidden',
      detail: 'Who closed these days does not open them: another person does.',
      facts: { current_status: 'closed' },
    };
  return undefined;
}
