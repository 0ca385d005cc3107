/**
 * Checks releases and settlements: the entries of each come to the amount of its row, and a settlement is the sum of
 * its lines.
 */
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import {
  type ReleaseHistory,
  readReleases,
  readReleasesById,
  readSettlements,
  readSettlementsById,
  type SettlementHistory,
} from './paid-check-store.ts';

export const releaseCheck: RowCheck<ReleaseHistory, Uuid> = {
  name: 'releases',
  pageRows: 500,
  read: ({ pool, book }, page) => readReleases(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readReleasesById(pool, book.id, ids),
  check: checkRelease,
  placeOf: ({ release }, until) => behindNewIds(release.id, until),
};

export const releaseEquation = equationOf({
  rows: releaseCheck,
  resources: ['release'],
  codes: ['merchant_pending'],
  balancesOf: ({ release: { id, accountId, amount, currency }, entries }) => [
    {
      ...{ resource: 'release', id, currency, entries },
      chart: { merchant_pending: -amount },
      customers: [[accountId, amount]],
    },
  ],
});

/** The share's own check counts what was released of it. */
function checkRelease({ report }: CheckContext, { release, hasShare }: ReleaseHistory): void {
  if (hasShare) return;
  report({
    check: 'payment_share.release',
    ids: { release: publicId('release', release.id), share: release.shareId },
    expected: 'a share',
    actual: 'no share',
    detail: 'The release is of a share that does not exist.',
  });
}

export const settlementCheck: RowCheck<SettlementHistory, Uuid> = {
  name: 'settlements',
  mayBeShort: true,
  pageRows: 200,
  read: ({ pool, book }, page) => readSettlements(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readSettlementsById(pool, book.id, ids),
  check: checkSettlement,
  placeOf: ({ settlement }, until) => behindNewIds(settlement.id, until),
};

export const settlementEquation = equationOf({
  rows: settlementCheck,
  resources: ['settlement'],
  codes: ['pool', 'acquirer'],
  balancesOf: ({ settlement: { id, amount, currency }, entries }) => [
    {
      ...{ resource: 'settlement', id, currency, entries },
      chart: { pool: -amount, acquirer: amount },
      customers: [],
    },
  ],
});

function checkSettlement({ report }: CheckContext, { settlement, booked }: SettlementHistory): void {
  const { id, amount, currency } = settlement;
  if (amount === booked) return;
  report({
    check: 'settlement.lines',
    ids: { settlement: publicId('settlement', id) },
    expected: `${booked} ${currency}`,
    actual: `${amount} ${currency}`,
    detail: 'What the acquirer paid is not the sum of the lines that were booked.',
  });
}
