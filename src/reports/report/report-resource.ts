/** A report as a resource. */
import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { REPORT_TYPES } from '../figures/kinds.ts';
import { REPORT_TRANSITIONS, type Report } from './report.ts';
import { reports } from './report-table.ts';

export const reportResource: Resource<Report, Shown> = {
  name: 'report',
  table: reports,
  parent: null,
  events: ['report.succeeded'],
  books: false,
  changed: (report, change) => ({ ...report, ...change }),
  transitions: REPORT_TRANSITIONS,
  firstStatuses: ['pending', 'running'],
  view: (report, { livemode }) => reportView(report, livemode),
};

export function reportView(report: Report, livemode: boolean) {
  const { status, failure } = report;
  return {
    id: publicId('report', report.id),
    object: 'report',
    livemode,
    status,
    parameters: parametersView(report),
    interim: report.interim,
    through_sequence: report.throughSequence,
    chain_hash: report.chainHash,
    progress: { done: report.rowsDone, total: status === 'succeeded' ? report.rowsDone : null },
    result: status === 'succeeded' ? resultView(report) : null,
    failure: failure === null ? null : { code: failure, detail: report.failureDetail },
    allowed_actions: [],
    request_id: publicId('request', report.requestId),
    version: report.version,
    created_at: formatInstant(report.createdAt),
    updated_at: formatInstant(report.updatedAt),
  };
}

function parametersView({ type, from, to, axis, currency, accountId, detail, format, bom }: Report) {
  const isOfOneDay = REPORT_TYPES[type].of === 'day';
  return {
    type,
    as_of: isOfOneDay ? to : null,
    from: isOfOneDay ? null : from,
    to: isOfOneDay ? null : to,
    axis,
    currency,
    account: publicIdOrNull('account', accountId),
    detail,
    format,
    bom,
  };
}

function resultView({ rowsDone, totals, fileBytes, sha256, digest, expiresAt }: Report) {
  return {
    rows: rowsDone,
    totals: totals.map(({ currency, debits, credits }) => ({
      ...{ currency, currency_exponent: currencyExponent(currency) },
      ...{ debits: BigInt(debits), credits: BigInt(credits) },
    })),
    bytes: fileBytes,
    sha256,
    digest,
    expires_at: formatInstantOrNull(expiresAt),
  };
}
