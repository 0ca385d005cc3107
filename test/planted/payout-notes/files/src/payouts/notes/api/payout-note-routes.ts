import { changedBy, runCommand } from '../../../api/answers.ts';
import { apiOf, findOne } from '../../../api/api-resource.ts';
import { childrenRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { actionRoute, createRoute } from '../../../api/write-routes.ts';
import { payoutApi } from '../../payout/api/payout-routes.ts';
import { payoutNoteResource } from '../payout-note-resource.ts';
import { listNotes } from '../payout-note-table.ts';
import { withdrawNote } from '../withdraw-note.ts';
import { writeNote } from '../write-note.ts';
import * as schemas from './payout-note-schemas.ts';

export const noteApi = apiOf(payoutNoteResource, {
  path: '/v1/payouts/:id/notes',
  tag: 'Payouts',
  type: 'PayoutNote',
  names: { types: 'PayoutNotes', one: 'a note on a payout', many: 'notes on a payout' },
  schema: schemas.payoutNote,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  parent: { resource: payoutApi, param: 'note' },
});

const create = createRoute(noteApi, {
  summary: 'Create a note on a payout',
  body: schemas.createPayoutNote,
  bodyExample: { text: 'The payee confirmed by phone.' },
  responses: { 201: { description: 'Written.', schema: schemas.payoutNote } },
  handle: (request) =>
    runCommand(request, writeNote({ ...changedBy(request), payoutId: request.params.id!, text: request.body.text })),
});

const list = childrenRoute(payoutApi, noteApi, {
  operation: 'listPayoutNotes',
  summary: 'List notes on a payout',
  filters: {},
  rows: (db, { bookId, parentId: payoutId, page }) => listNotes(db, { bookId, payoutId }, page),
});

const withdraw = actionRoute(noteApi, 'withdraw', {
  summary: 'Withdraw a note on a payout',
  description: 'It stays, and is shown as withdrawn.',
  async handle(request) {
    await findOne(noteApi, request);
    return runCommand(request, withdrawNote({ ...changedBy(request), noteId: request.params.note! }));
  },
});

export const payoutNoteRoutes = [create, list, readRoute(noteApi), timelineRoute(noteApi), withdraw];
