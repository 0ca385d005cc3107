/** Checks the inbox of rail notices: each is waiting and due or stuck, or taken, or an exception. */
import type { Check, CheckContext } from '../../checks/check-context.ts';
import { type NoticeRow, readNotices } from './notice-check-store.ts';
import { readAhead } from '../../verify/read-ahead.ts';

const PAGE = 500;

export const noticeCheck: Check = {
  name: 'rail notices',
  async run(context) {
    const pages = readAhead<NoticeRow>((after) => readNotices(context.pool, context.book.id, { after, limit: PAGE }));
    for await (const rows of pages) for (const row of rows) checkNotice(context, row);
  },
};

export function checkNotice({ report }: CheckContext, notice: NoticeRow): void {
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
