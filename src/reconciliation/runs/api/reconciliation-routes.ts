/** Runs over bank files. */

import { actorOf, isLive, storedAnswer } from '../../../api/answers.ts';
import { apiOf } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { waitFor } from '../../../api/waits.ts';
import { createRoute } from '../../../api/write-routes.ts';
import { carryOut } from '../../../idempotency/use-case.ts';
import { isOperatorsBook } from '../../accounts/operators-book.ts';
import { reconciliationResource } from '../reconciliation-resource.ts';
import { listReconciliations } from '../reconciliation-table.ts';
import { requestMatching } from '../request-run.ts';
import { uploadFile } from '../upload-file.ts';
import { fileOf, readMatchAgain } from './read-upload.ts';
import * as schemas from './reconciliation-schemas.ts';

export const reconciliationApi = apiOf(reconciliationResource, {
  path: '/v1/transactions/reconciliations',
  tag: 'Reconciliation',
  type: 'Reconciliation',
  names: { types: 'Reconciliations', one: 'a reconciliation', many: 'reconciliations' },
  schema: schemas.reconciliation,
  scopes: { read: 'reconciliations:read', write: 'reconciliations:write' },
});

const create = createRoute(reconciliationApi, {
  summary: 'Reconcile a file, or match again',
  description:
    "A bank's file as it is: camt.052 to .054, MT940, MT942, BAI2, or CSV by a saved profile. It is read as it comes, and refused whole where it is not whole; then its run is accepted, and workers carry it out. The same bytes with the same account and profile are the same run, unless it failed. Or JSON that names a bank account: what is open of it is matched again. With the key of another book than the operator's, `account` names an account of the book: the same files and rules against its lines, and nothing is posted.",
  uploads: 'bank_file',
  waits: waitFor(reconciliationResource),
  query: schemas.uploadQuery,
  body: schemas.matchAgain,
  bodyExample: { bank_account: 'ba_01kec2v7qwf15vsgqhawh0d2r1', through: '2026-11-30' },
  responses: {
    200: {
      description: 'A dry run of a file: the run as it would be.',
      schema: schemas.reconciliation,
      shows: ['dry_run', 'ok', 'verdicts', 'left'],
      isDryRun: true,
    },
    202: { description: 'Accepted.', schema: schemas.reconciliation },
  },
  errors: [
    'bank_account_unknown',
    'card_number_not_allowed',
    'file_invalid',
    'profile_needed',
    'resource_not_found',
    'service_unavailable',
  ],
  async handle(request) {
    const { runtime, principal, requestId, idempotencyKey, query, upload, services } = request;
    const isOperators = await isOperatorsBook(runtime.pool, principal);
    const asked = { isOperators, bookId: principal.bookId, actor: actorOf(principal), requestId, idempotencyKey };
    if (upload!.type === 'json') {
      const { given, fingerprint } = await readMatchAgain(upload!, query);
      const { bank_account: bankAccountId = null, account: comparedAccountId = null, through = null } = given;
      const again = { ...asked, fingerprint, bankAccountId, comparedAccountId, through };
      return storedAnswer(await carryOut(runtime, requestMatching, again, services.following));
    }
    const { bank_account: bankAccountId = null, profile: profileId = null, name = null, dry_run: dryRun } = query;
    const of = { bankAccountId, comparedAccountId: query.account ?? null, profileId, name };
    const file = { ...asked, dryRun, livemode: isLive(principal), ...of };
    return storedAnswer(await uploadFile(runtime, file, fileOf(upload!)));
  },
});

const list = listRoute(reconciliationApi, {
  filters: { status: oneOrMore(schemas.RECONCILIATION_STATUSES, 'Runs in any of these states.') },
  rows: (db, { bookId, query, page }) => listReconciliations(db, { bookId, statuses: query.status }, page),
});

/** Static paths: before those with an id of a transaction. */
export const reconciliationRoutes = routesSince('0.4.0', [
  create,
  list,
  readRoute(reconciliationApi),
  timelineRoute(reconciliationApi),
]);
