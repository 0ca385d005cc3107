/** Profiles of CSV files of banks. */

import { actorOf, runCommand } from '../../../api/answers.ts';
import { apiOf } from '../../../api/api-resource.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { createRoute } from '../../../api/write-routes.ts';
import { saveProfile } from '../save-profile.ts';
import { csvProfileResource } from '../saved-profile-resource.ts';
import { listProfiles } from '../saved-profile-table.ts';
import * as schemas from './profile-schemas.ts';

const csvProfileApi = apiOf(csvProfileResource, {
  path: '/v1/transactions/profiles',
  tag: 'Reconciliation',
  type: 'CsvProfile',
  names: { types: 'CsvProfiles', one: 'a profile of CSV files', many: 'profiles of CSV files' },
  schema: schemas.csvProfile,
  scopes: { read: 'reconciliations:read', write: 'reconciliations:write' },
});

const create = createRoute(csvProfileApi, {
  summary: 'Create a profile of CSV files',
  description:
    "What the columns of a bank's CSV are, and how it writes amounts and days. `npm run reconcile -- profile FILE` proposes one.",
  body: schemas.createProfile,
  bodyExample: schemas.createProfileExample,
  responses: { 201: { description: 'Saved.', schema: schemas.csvProfile } },
  errors: ['card_number_not_allowed'],
  handle(request) {
    const { body, principal, requestId } = request;
    const { name, delimiter, encoding, skip, columns, decimal, group = null, date_format: dateFormat } = body;
    const form = { delimiter, encoding, skip, columns, decimal, group, dateFormat };
    return runCommand(request, saveProfile({ ...form, name, requestId, actor: actorOf(principal) }));
  },
});

const list = listRoute(csvProfileApi, {
  filters: {},
  rows: (db, { bookId, page }) => listProfiles(db, { bookId }, page),
});

/** Static paths: before those with an id of a transaction. */
export const csvProfileRoutes = routesSince('0.4.0', [create, list, readRoute(csvProfileApi)]);
