/** Reports that are asked for. */

import { z } from 'zod';
import { STATEMENT_COLUMNS } from '../../../accounts/statements/statement-columns.ts';
import { found } from '../../../api/answers.ts';
import { apiOf, findOne } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { type RouteRequest, route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { waitFor } from '../../../api/waits.ts';
import { createRoute } from '../../../api/write-routes.ts';
import { ApiError } from '../../../errors/errors.ts';
import { bankReport } from '../../../reconciliation/position/bank-reports.ts';
import { CSV_TYPE } from '../../../values/csv-writing.ts';
import { publicId } from '../../../values/ids.ts';
import {
  FIGURE_TYPES,
  isFigure,
  REPORT_NAMES,
  REPORT_TYPES,
  type ReportFormat,
  type ReportName,
  type ReportType,
} from '../../figures/kinds.ts';
import { openContent, rangeOf } from '../read-content.ts';
import type { Report } from '../report.ts';
import { reportResource } from '../report-resource.ts';
import { listReports } from '../report-store.ts';
import { requestReport } from '../request-report.ts';
import { type CreateReport, parametersOf } from './report-parameters.ts';
import * as schemas from './report-schemas.ts';

export const reportApi = apiOf(reportResource, {
  path: '/v1/reports',
  tag: 'Reports',
  type: 'Report',
  names: { types: 'Reports', one: 'a report', many: 'reports' },
  schema: schemas.report,
  scopes: { read: 'reports:read', write: 'reports:write' },
});

const create = createRoute(reportApi, {
  summary: 'Create a report',
  description:
    'It is accepted for a place of the journal: the entries that are there now, or up to `through_sequence`. Equal parameters with the same `through_sequence` give equal bytes while names are the same, and an equal `digest` for good.',
  idempotency: 'optional',
  waits: waitFor(reportResource),
  body: schemas.createReport,
  bodyExample: { type: 'trial_balance', as_of: '2026-03-31', format: 'csv' },
  responses: { 202: { description: 'Accepted, and being written.', schema: schemas.report } },
  errors: ['parameter_missing', 'currency_unsupported', 'resource_not_found', 'limit_exceeded', 'service_unavailable'],
  handle: (request) =>
    runUseCase(request, requestReport, { ...askedBy(request), parameters: parametersOf(request.body as CreateReport) }),
});

const list = listRoute(reportApi, {
  filters: {
    status: oneOrMore(schemas.REPORT_STATUSES, 'Reports in any of these states.'),
    type: oneOrMore(REPORT_NAMES, 'Reports of any of these types.'),
  },
  rows: (db, { bookId, query, page }) => listReports(db, { bookId, statuses: query.status, types: query.type }, page),
});

const types = route({
  method: 'get',
  path: '/v1/reports/types',
  operation: 'listReportTypes',
  tag: 'Reports',
  summary: 'List the types of reports',
  scope: 'reports:read',
  responses: { 200: { description: 'What can be asked for.', schema: schemas.reportTypes } },
  async handle() {
    const known = REPORT_NAMES.map((type) => {
      const { title, of, axes, takes = [], formats, needsAccount, ofOperator }: ReportType = REPORT_TYPES[type];
      return {
        ...{ type, title, days: of === 'day' ? 'as_of' : 'from_to', axes, takes, formats },
        ...{ needs_account: needsAccount === true, operator_only: ofOperator === true, columns: columnsOf(type) },
      };
    });
    return { status: 200, json: { object: 'report_types', types: known } };
  },
});

/** Of an amount the column with its decimals alone. */
function columnsOf(type: ReportName): string[] {
  const columns: readonly { readonly name: string }[] = isFigure(type)
    ? FIGURE_TYPES[type].kind.columns
    : type === 'statement'
      ? STATEMENT_COLUMNS.filter(({ name }) => !name.endsWith('_minor'))
      : bankReport(type).columns;
  return columns.map(({ name }) => name);
}

const MEDIA: Readonly<Record<ReportFormat, string>> = {
  csv: CSV_TYPE,
  json: 'application/json; charset=utf-8',
  pdf: 'application/pdf',
  camt053: 'application/xml; charset=utf-8',
};

const FILES = ['text/csv', 'application/json', 'application/pdf', 'application/xml'] as const;

const file = z.string();

const content = route({
  method: 'get',
  path: '/v1/reports/:id/content',
  operation: 'getReportContent',
  tag: 'Reports',
  summary: "Download a report's file",
  description:
    'Until `expires_at`. A `Range` of bytes is answered with 206; what is no single range is answered with the whole file. `ETag` is the SHA-256 of the whole, for `If-Range`.',
  scope: 'reports:read',
  params: { id: 'report' },
  responses: {
    200: { description: 'The file.', schema: file, files: FILES, isFile: true },
    206: { description: 'A part of it.', schema: file, files: FILES, isFile: true },
  },
  async handle(request) {
    const report = await findOne(reportApi, request);
    if (report.status !== 'succeeded') throw notWritten(report);
    return contentAnswer(request, report);
  },
});

function notWritten({ status }: Report): ApiError {
  return new ApiError('resource_not_found', {
    param: 'id',
    detail: status === 'failed' ? 'The report failed: it has no file.' : 'The report is not written yet.',
  });
}

async function contentAnswer({ runtime, principal, header }: RouteRequest, report: Report) {
  const bytes = Number(report.fileBytes);
  const tag = `"${report.sha256}"`;
  const ifRange = header('if-range')?.trim();
  const asked = ifRange === undefined || ifRange === tag ? header('range') : undefined;
  const range = rangeOf(asked, bytes);
  const { first, last } = range ?? { first: 0, last: bytes - 1 };
  const opened = await openContent(runtime, { bookId: principal.bookId, reportId: report.id }, { first, last });
  const kept = found(
    opened,
    'id',
    'The file of this report is not kept any more. Ask for the report again, with its `through_sequence`.',
  );
  const headers = ['Accept-Ranges', 'bytes', 'ETag', tag, 'Content-Length', String(last + 1 - first)];
  if (range !== undefined) headers.push('Content-Range', `bytes ${first}-${last}/${bytes}`);
  const name = `${report.type.replaceAll('_', '-')}-${report.to}-${publicId('report', report.id)}.${report.format === 'camt053' ? 'xml' : report.format}`;
  return {
    status: range === undefined ? 200 : 206,
    file: { contentType: MEDIA[report.format], name, content: kept },
    headers,
  };
}

/** Static paths: before those with an id. */
export const reportRoutes = routesSince('0.4.0', [
  create,
  list,
  types,
  readRoute(reportApi, { waits: waitFor(reportResource) }),
  content,
]);
