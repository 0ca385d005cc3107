/** Checks scheme settlements: each nets the lines behind those of the one before it, and booked that net. */
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import {
  readSettlementHistories,
  readSettlementHistoriesById,
  type SettlementHistory,
} from './settlement-check-store.ts';

export const schemeSettlementCheck: RowCheck<SettlementHistory, Uuid> = {
  name: 'settlements of schemes',
  pageRows: 50,
  read: ({ pool, book }, page) => readSettlementHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readSettlementHistoriesById(pool, book.id, ids),
  check: checkSettlement,
  placeOf: ({ settlement }, until) => behindNewIds(settlement.id, until),
};

/** What was settled is no longer owed to the scheme, and left the pool. */
export const schemeSettlementEquation = equationOf({
  rows: schemeSettlementCheck,
  resources: ['scheme_settlement'],
  codes: ['scheme_settlement', 'pool'],
  balancesOf: ({ settlement: { id, currency, net }, entries }) => [
    {
      ...({ resource: 'scheme_settlement', id, currency, entries } as const),
      chart: { scheme_settlement: -net, pool: net },
      customers: [],
    },
  ],
});

function checkSettlement({ report }: CheckContext, { settlement, lines, net, before }: SettlementHistory): void {
  const { id, currency, fromLine } = settlement;
  const expected = `${lines} lines from ${before + 1n}, net ${net} ${currency}`;
  const actual = `${settlement.lines} lines from ${fromLine}, net ${settlement.net} ${currency}`;
  if (expected === actual) return;
  report({
    check: 'scheme_settlement.lines',
    ids: { scheme_settlement: publicId('schemeSettlement', id) },
    expected,
    actual,
    detail: 'The settlement is not the net of the lines behind those of the one before it.',
  });
}
