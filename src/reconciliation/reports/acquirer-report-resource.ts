import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { ACQUIRER_REPORT_TRANSITIONS, type AcquirerReport, netOf } from './acquirer-report.ts';
import { acquirerReports } from './acquirer-report-table.ts';

export const acquirerReportResource: Resource<AcquirerReport, Shown> = {
  name: 'acquirer_report',
  table: acquirerReports,
  parent: null,
  events: ['acquirer_report.posted'],
  books: true,
  lineText: {},
  changed: (report, change) => ({ ...report, ...change }),
  transitions: ACQUIRER_REPORT_TRANSITIONS,
  view: (report, { livemode }) => ({
    id: publicId('acquirerReport', report.id),
    object: 'acquirer_report',
    livemode,
    status: report.status,
    acquirer: report.acquirer,
    sha256: report.sha256,
    lines: report.lines,
    totals: report.totals.map((total) => ({
      currency: total.currency,
      currency_exponent: currencyExponent(total.currency),
      gross: BigInt(total.gross),
      cost: BigInt(total.cost),
      net: netOf(total),
      expected_item: publicIdOrNull('expectedItem', total.itemId),
    })),
    journal_entries: report.entryIds.map((id) => publicId('entry', id)),
    version: report.version,
    created_at: formatInstant(report.createdAt),
    updated_at: formatInstant(report.updatedAt),
  }),
};
