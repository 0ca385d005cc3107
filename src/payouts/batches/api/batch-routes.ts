/** Batches of payouts. */
import { z } from 'zod';
import { actorOf, found, storedAnswer } from '../../../api/answers.ts';
import { type ApiResource, findOne, type Listed } from '../../../api/api-resource.ts';
import { createdAtFilter, externalIdFilter, metadataFilter, oneOrMore } from '../../../api/pages.ts';
import { childrenRoute, listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { type RouteRequest, route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { actionRoute, createRoute } from '../../../api/write-routes.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { CSV_TYPE } from '../../../values/csv-writing.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import {
  requestBatchApproval,
  requestBatchCancel,
  requestBatchRejection,
  requestBatchSubmission,
} from '../act-on-batch.ts';
import type { PayoutBatch } from '../batch.ts';
import type { BatchCounts } from '../batch-counts.ts';
import { readCounts } from '../batch-counts-store.ts';
import { payoutBatchResource } from '../batch-resource.ts';
import { type BatchResult, resultView } from '../batch-result.ts';
import { listResults } from '../batch-result-store.ts';
import { listBatches } from '../batch-store.ts';
import { payoutBatches } from '../batch-table.ts';
import { batchView } from '../batch-view.ts';
import { resultsCsv } from '../results-csv.ts';
import { uploadBatch } from '../upload-batch.ts';
import { readUploadErrors, UPLOAD_ERRORS_PATH } from '../upload-errors.ts';
import * as schemas from './batch-schemas.ts';
import { uploadOf } from './read-batch.ts';

interface CountedBatch {
  readonly batch: PayoutBatch;
  readonly counts: BatchCounts | undefined;
}

async function counted(db: Queryable, bookId: BookId, batches: readonly PayoutBatch[]): Promise<CountedBatch[]> {
  const counts = await readCounts(
    db,
    bookId,
    batches.map(({ id }) => id),
  );
  return batches.map((batch) => ({ batch, counts: counts.get(batch.id) }));
}

async function findCounted(db: Queryable, bookId: BookId, id: Uuid): Promise<CountedBatch | undefined> {
  const batch = await payoutBatches.find(db, bookId, id);
  return batch && (await counted(db, bookId, [batch]))[0];
}

export const payoutBatchApi: ApiResource<CountedBatch> = {
  declared: payoutBatchResource,
  cursor: 'payoutBatch',
  path: '/v1/payouts/batches',
  tag: 'Payouts',
  type: 'PayoutBatch',
  names: { types: 'PayoutBatches', one: 'a batch of payouts', many: 'batches of payouts' },
  schema: schemas.batch,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  find: findCounted,
  view: ({ batch, counts }, { livemode }) => batchView(batch, counts, livemode),
};

const create = createRoute(payoutBatchApi, {
  summary: 'Upload a batch of payouts',
  description:
    'Up to 10,000 payouts, as JSON or as `text/csv`. All of them or none: one that cannot be paid refuses the upload, with its place. Amounts and fees are held at the release, in one commit; then the items become payouts, each of which is paid or fails by itself. The same content is taken once, unless `allow_duplicate` says otherwise.',
  idempotency: 'required',
  uploads: 'csv',
  query: schemas.uploadQuery,
  body: schemas.createBatch,
  bodyExample: schemas.createBatchExample,
  responses: {
    200: {
      description: 'A dry run: the batch as it would be.',
      schema: schemas.batch,
      shows: ['dry_run', 'resulting_balances'],
      isDryRun: true,
    },
    202: { description: 'Accepted.', schema: schemas.batch },
  },
  errors: [
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
    'currency_unsupported',
    'currency_mismatch',
    'resource_not_found',
    'insufficient_funds',
    'account_frozen',
    'account_closed',
    'destination_invalid',
    'token_invalid',
    'card_not_active',
    'card_number_not_allowed',
    'limit_exceeded',
    'rail_unavailable',
    'state_conflict',
  ],
  async handle({ runtime, principal, requestId, idempotencyKey, query, upload }) {
    const request = {
      bookId: principal.bookId,
      mode: principal.mode,
      actor: actorOf(principal),
      requestId,
      idempotencyKey,
      dryRun: query.dry_run,
    };
    return storedAnswer(await uploadBatch(runtime, request, uploadOf(upload!, query)));
  },
});

const list = listRoute(payoutBatchApi, {
  filters: {
    status: oneOrMore(schemas.BATCH_STATUSES, 'Batches in any of these states.'),
    created_at: createdAtFilter,
    external_id: externalIdFilter,
    metadata: metadataFilter,
  },
  async rows(db, { bookId, query, page }) {
    const { status: statuses, created_at: created, external_id: externalId, metadata } = query;
    const found = await listBatches(db, bookId, { statuses, created, externalId, metadata }, page);
    return { ...found, rows: await counted(db, bookId, found.rows) };
  },
});

const itemList: Listed<BatchResult> = {
  path: '/v1/payouts/batches/:id/items',
  type: 'PayoutBatchItem',
  schema: schemas.batchItem,
  cursor: 'sequence',
  declared: null,
  view: (result) => resultView(result),
};

const items = childrenRoute(payoutBatchApi as ApiResource<unknown>, itemList, {
  operation: 'listPayoutBatchItems',
  summary: 'List items of a batch',
  description: 'The last row first.',
  filters: {},
  async rows(db, { bookId, parentId, page }) {
    return listResults(db, bookId, (await payoutBatches.find(db, bookId, parentId))!, page);
  },
});

const results = route({
  method: 'get',
  path: '/v1/payouts/batches/:id/results.csv',
  operation: 'getPayoutBatchResults',
  tag: 'Payouts',
  summary: "Retrieve a batch's results as CSV",
  description:
    'A row for each item, in the order of the upload, with name (masked) and description of the payout that it has become. A text that a spreadsheet would take for a formula begins with an apostrophe.',
  scope: 'payouts:read',
  params: { id: 'payoutBatch' },
  responses: {
    200: { description: 'As they are now.', schema: z.string(), files: ['text/csv'], isFile: true },
  },
  async handle(request) {
    const { batch } = await findOne(payoutBatchApi, request);
    const { runtime, principal } = request;
    const content = resultsCsv(runtime.pool, principal.bookId, batch);
    return { status: 200, file: { contentType: CSV_TYPE, name: `${publicId('payoutBatch', batch.id)}.csv`, content } };
  },
});

const uploadErrors = route({
  method: 'get',
  path: `${UPLOAD_ERRORS_PATH}/:id`,
  operation: 'getPayoutUploadErrors',
  tag: 'Payouts',
  summary: 'Retrieve all errors of an upload as CSV',
  description:
    'Of an upload that was refused, by `errors_csv` of its answer: a row for each error, in the order in which they were found. Kept for a day, though there is no batch. A text that a spreadsheet would take for a formula begins with an apostrophe.',
  scope: 'payouts:read',
  params: { id: 'payoutBatch' },
  responses: { 200: { description: 'All of them.', schema: z.string(), files: ['text/csv'], isFile: true } },
  async handle({ runtime, principal, params }) {
    const content = found(await readUploadErrors(runtime, { bookId: principal.bookId, batchId: params.id! }));
    const name = `${publicId('payoutBatch', params.id!)}-errors.csv`;
    return { status: 200, file: { contentType: CSV_TYPE, name, content } };
  },
});

const RELEASE_ERRORS = ['insufficient_funds', 'account_frozen', 'account_closed', 'limit_exceeded'] as const;

const acting = (request: RouteRequest) => ({
  ...askedBy(request),
  batchId: request.params.id!,
  ifMatch: request.ifMatch,
});

const submit = actionRoute(payoutBatchApi, 'submit', {
  summary: 'Submit a draft',
  description:
    'It goes on as a batch that was submitted with its upload. Without funds it is refused, and stays a draft.',
  errors: [...RELEASE_ERRORS],
  handle: (request) => runUseCase(request, requestBatchSubmission, acting(request)),
});

const cancel = actionRoute(payoutBatchApi, 'cancel', {
  summary: 'Cancel a batch',
  description:
    'Items that are no payouts yet never become any, and what is held for them is available again. Payouts that there are go on.',
  handle: (request) => runUseCase(request, requestBatchCancel, acting(request)),
});

const approve = actionRoute(payoutBatchApi, 'approve', {
  summary: 'Approve a batch',
  description:
    'With the key of a person: another one than who uploaded or submitted it. The last approval holds all amounts and fees, or leaves the batch to its time. Without funds it is refused and changes nothing.',
  scope: 'payouts:approve',
  body: schemas.approveBatch,
  bodyExample: { version: 2 },
  errors: ['self_approval_forbidden', 'version_mismatch', ...RELEASE_ERRORS],
  handle(request) {
    const { ownerKind } = request.principal;
    const asked = { ...acting(request), ownerKind, version: request.body.version };
    return runUseCase(request, requestBatchApproval, asked);
  },
});

const reject = actionRoute(payoutBatchApi, 'reject', {
  summary: 'Reject a batch',
  description: 'With the key of a person who might approve it. The batch ends, and nothing was held.',
  scope: 'payouts:approve',
  body: schemas.rejectBatch,
  bodyExample: { version: 2, reason: 'The list is that of last month.' },
  errors: ['self_approval_forbidden', 'version_mismatch', 'card_number_not_allowed'],
  handle(request) {
    const { ownerKind } = request.principal;
    const { version, reason } = request.body;
    return runUseCase(request, requestBatchRejection, { ...acting(request), ownerKind, version, reason });
  },
});

/** Before the paths of payouts, whose ids would match theirs. */
export const payoutBatchRoutes = routesSince('0.4.0', [
  create,
  readRoute(payoutBatchApi),
  list,
  items,
  results,
  uploadErrors,
  submit,
  cancel,
  approve,
  reject,
  timelineRoute(payoutBatchApi),
]);
