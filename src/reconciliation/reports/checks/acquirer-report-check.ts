/** Checks reports of acquirers: what is posted is what their parts come to. */
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { sideAccountId } from '../../items/party-accounts.ts';
import { netOf, stepOf } from '../acquirer-report.ts';
import { type ReportHistory, readReportHistories, readReportHistoriesById } from './acquirer-report-check-store.ts';

/** The book is part of the ids of its accounts. */
type InBook = ReportHistory & { readonly bookId: Uuid };

export const acquirerReportCheck: RowCheck<InBook, Uuid> = {
  name: 'reports of acquirers',
  pageRows: 100,
  read: async ({ pool, book }, page) => inBook(book.id, await readReportHistories(pool, book.id, page)),
  readByIds: async ({ pool, book }, ids) => inBook(book.id, await readReportHistoriesById(pool, book.id, ids)),
  check: checkReport,
  placeOf: ({ report }, until) => behindNewIds(report.id, until),
};

const inBook = (bookId: Uuid, all: readonly ReportHistory[]): InBook[] => all.map((one) => ({ ...one, bookId }));

/** Each acquirer has accounts of its own. */
export const acquirerReportEquation = equationOf({
  rows: acquirerReportCheck,
  resources: ['acquirer_report'],
  codes: [],
  balancesOf: ({ bookId, report: { id, acquirer: party, totals }, entries }) =>
    totals.map((total) => {
      const { currency, gross, cost } = total;
      const account = (code: 'acquirer_clearing' | 'acquiring_costs' | 'acquirer_suspense') =>
        sideAccountId(bookId, { code, currency, party });
      return {
        ...({ resource: 'acquirer_report', id, currency, chart: {} } as const),
        entries: entries.filter(({ step }) => step === stepOf(currency)),
        customers: [
          [account('acquirer_clearing'), -netOf(total)],
          [account('acquiring_costs'), -BigInt(cost)],
          [account('acquirer_suspense'), BigInt(gross)],
        ],
      };
    }),
});

function checkReport(context: CheckContext, { report, entries, parts }: InBook): void {
  const stated = (all: readonly { currency: string; gross: bigint | string; cost: bigint | string }[]) =>
    all.map(({ currency, gross, cost }) => `${gross} less ${cost} ${currency}`).join(', ') || 'nothing';
  const expected = report.status === 'posted' ? parts : [];
  const steps = new Set(report.totals.map(({ currency }) => stepOf(currency)));
  if (stated(expected) === stated(report.totals) && entries.every(({ step }) => steps.has(step))) return;
  context.report({
    check: 'acquirer_report.totals',
    ids: { acquirer_report: publicId('acquirerReport', report.id) },
    expected: stated(expected),
    actual: `${stated(report.totals)}, by ${entries.length} entries`,
    detail: 'What is posted of the report is not what its parts come to.',
  });
}
