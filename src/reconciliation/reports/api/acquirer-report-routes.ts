/** Reports of acquirers, in the operator's book. */

import { apiOf } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { acquirerReportResource } from '../acquirer-report-resource.ts';
import { listAcquirerReports } from '../acquirer-report-table.ts';
import * as schemas from './acquirer-report-schemas.ts';

export const acquirerReportApi = apiOf(acquirerReportResource, {
  path: '/v1/transactions/acquirer_reports',
  tag: 'Reconciliation',
  type: 'AcquirerReport',
  names: { types: 'AcquirerReports', one: 'a report of an acquirer', many: 'reports of acquirers' },
  schema: schemas.acquirerReport,
  scopes: { read: 'reconciliations:read' },
});

const list = listRoute(acquirerReportApi, {
  filters: { status: oneOrMore(schemas.ACQUIRER_REPORT_STATUSES, 'Reports in any of these states.') },
  rows: (db, { bookId, query, page }) => listAcquirerReports(db, { bookId, statuses: query.status }, page),
});

/** Static paths: before those with an id of a transaction. */
export const acquirerReportRoutes = routesSince('0.4.0', [list, readRoute(acquirerReportApi)]);
