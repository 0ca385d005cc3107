/** Checks the inbox of notices: each one is waiting and due or stuck, or booked, or has an exception. */

import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { type NoticePlace, type NoticeRow, readNotices } from './notice-check-store.ts';

/** No event names a notice: notices are read with all others, and by the audit. */
export const noticeCheck: RowCheck<NoticeRow, NoticePlace> = {
  name: 'rail notices',
  pageRows: 500,
  read: ({ pool, book }, page) => readNotices(pool, book.id, page),
  check: checkNotice,
  placeOf: ({ rail, id }) => ({ rail, id }),
};

function checkNotice({ report }: CheckContext, notice: NoticeRow): void {
  const ids = { rail: notice.rail, notice: notice.id };
  const waiting = notice.status === 'waiting';
  const attempted = notice.dueAt !== null || (waiting && notice.stuckAt !== null);
  if (waiting !== attempted) {
    report({
      check: 'notice.due',
      ids,
      expected: waiting ? 'due' : 'not due',
      actual: attempted ? 'due' : 'not due',
      detail: waiting ? 'Nobody would attempt this notice again.' : `The notice is ${notice.status} and still due.`,
    });
  }
  const kept = waiting || (notice.status === 'taken' ? notice.answered : notice.excepted);
  if (!kept) {
    report({
      check: 'notice.kept',
      ids,
      expected: notice.status === 'taken' ? "the rail's word beside its payout" : 'an exception',
      actual: 'nothing',
      detail: `The notice is ${notice.status}, and nothing was made of it.`,
    });
  }
}
