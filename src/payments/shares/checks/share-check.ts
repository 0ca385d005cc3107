/** Checks what waits for its release, and what acquirers owe: rows of payments against the accounts of the book. */
import { dayOf } from '../../../calendar/day.ts';
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { readShareHistories, readShareLines, type ShareHistory, type StrayLine } from './share-check-store.ts';

/**
 * Ids of shares are derived, and have no order in time: a share that comes meanwhile is read in this round or the next
 * one.
 */
export const shareCheck: RowCheck<ShareHistory, Uuid> = {
  name: 'shares of payments',
  pageRows: 100,
  read: ({ pool, book }, page) => readShareHistories(pool, book.id, page),
  check: checkShare,
  placeOf: ({ share }) => share.id,
};

/**
 * Lines name what they are of: what captures, refunds and disputes moved on merchant_pending is the sum of their lines
 * (payment-check.ts), and so that of the shares.
 */
export const shareLineCheck: RowCheck<StrayLine, Uuid> = {
  name: 'lines of shares',
  pageRows: 1_000,
  read: ({ pool, book }, page) => readShareLines(pool, book.id, page),
  check: checkLine,
  placeOf: ({ id }, until) => behindNewIds(id, until),
};

function checkShare(context: CheckContext, history: ShareHistory): void {
  checkDay(context, history);
  const { report } = context;
  const { share, lines, released, waiting } = history;
  const { amount, kind, lent, status } = share;
  const ids = { share: share.id, account: publicId('account', share.accountId) };
  const left = status === 'open' ? lines - released : 0n;
  const expected = `${lines - left} released, ${left} in it`;
  const actual = `${released} released, ${amount} in it`;
  if (expected !== actual)
    report({
      check: 'payment_share.lines',
      ids,
      expected,
      actual,
      detail: `What the lines of the share come to is not what is in it, or was released (${status}).`,
    });
  if (kind === 'waiting' && amount + lent !== waiting)
    report({
      check: 'payment_share.waiting',
      ids,
      expected: String(waiting),
      actual: `${amount} in it, ${lent} lent`,
      detail: 'What the share holds and has lent is not what is left of the captures that wait in it.',
    });
}

/** Nothing is released before its day. */
function checkDay({ report }: CheckContext, { share, firstReleaseAt, timeZone }: ShareHistory): void {
  const releasedOn = firstReleaseAt === null ? null : dayOf(firstReleaseAt, timeZone);
  if (releasedOn === null || releasedOn >= share.availableOn) return;
  report({
    check: 'payment_share.early',
    ids: { share: share.id, account: publicId('account', share.accountId) },
    expected: `released on ${share.availableOn} or later`,
    actual: `released on ${releasedOn}`,
    detail: 'A share was released before its day.',
  });
}

function checkLine({ report }: CheckContext, { id, shareId, operationId, amount, ...found }: StrayLine): void {
  if (found.hasShare && found.hasOperation) return;
  report({
    check: 'payment_share.line',
    ids: { line: id, share: shareId, operation: operationId },
    expected: `a share, and a capture, refund or dispute`,
    actual: found.hasShare ? 'no capture, refund or dispute' : 'no share',
    detail: `A line of ${amount} is of nothing that exists.`,
  });
}
