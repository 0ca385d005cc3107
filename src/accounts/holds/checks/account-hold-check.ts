/** Checks holds that the API placed: each agrees with the ledger's hold of its id, and one that expires is due. */

import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { remainingOf } from '../account-hold.ts';
import { type HoldHistory, readHoldHistories, readHoldHistoriesById } from './account-hold-check-store.ts';

export const accountHoldCheck: RowCheck<HoldHistory, Uuid> = {
  name: 'account holds',
  pageRows: 500,
  read: ({ pool, book }, page) => readHoldHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readHoldHistoriesById(pool, book.id, ids),
  holdsOf: ({ hold }) => [hold.id],
  check: checkAccountHold,
  placeOf: ({ hold }, until) => behindNewIds(hold.id, until),
};

function checkAccountHold({ report }: CheckContext, { hold, stuckAt, ...found }: HoldHistory): void {
  const { id, accountId, status, amount, captured, released, expiresAt, dueAt } = hold;
  const ids = { hold: publicId('hold', id), account: publicId('account', accountId) };
  const stands = `${accountId} ${status} ${amount} ${remainingOf(hold)} ${expiresAt ?? 'none'}, captured ${captured}, released ${released}`;
  const ledger = `${found.ledger ?? 'no such hold'}, captured ${found.captured}, released ${found.released}`;
  if (stands !== ledger)
    report({
      check: 'account_hold.ledger',
      ids,
      expected: ledger,
      actual: stands,
      detail: 'The hold does not say what the ledger holds.',
    });
  const waits = status === 'open' && expiresAt !== null;
  if (stuckAt === null && waits !== (dueAt !== null))
    report({
      check: 'account_hold.due',
      ids,
      expected: waits ? 'due' : 'not due',
      actual: waits ? 'not due' : 'due',
      detail: waits ? 'Nobody expires this hold.' : 'A hold that never expires, or is over, is due.',
    });
}
