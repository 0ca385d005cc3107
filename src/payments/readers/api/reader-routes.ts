/** Readers, what they are asked to do, and in test mode the cards that are presented at them. */
import { changedBy, runCommand } from '../../../api/answers.ts';
import { type ApiResource, apiOf } from '../../../api/api-resource.ts';
import { childrenRoute, listRoute, readRoute } from '../../../api/read-routes.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { waitFor } from '../../../api/waits.ts';
import { actionRoute, createRoute, removeRoute, updateRoute } from '../../../api/write-routes.ts';
import { requestActionCancel } from '../../actions/cancel-reader-action.ts';
import { digestedCard } from '../../payment/api/card-schema.ts';
import { payment } from '../../payment/api/payment-schemas.ts';
import { paymentResource } from '../../payment/payment-resource.ts';
import { registerReader, removeReader, updateReader } from '../manage-reader.ts';
import { presentCard } from '../present-card.ts';
import { readerActionResource, readerResource } from '../reader-resource.ts';
import { listReaderActions, listReaders } from '../reader-store.ts';
import * as schemas from './reader-schemas.ts';

const scopes = { read: 'payments:read', write: 'payments:write' } as const;

const readerApi = apiOf(readerResource, {
  path: '/v1/payments/readers',
  tag: 'Payments',
  type: 'Reader',
  names: { types: 'Readers', one: 'a reader', many: 'readers' },
  schema: schemas.reader,
  scopes,
});

export const actionApi = apiOf(readerActionResource, {
  path: '/v1/payments/readers/:id/actions',
  tag: 'Payments',
  type: 'ReaderAction',
  names: { types: 'ReaderActions', one: 'an action of a reader', many: 'actions of a reader' },
  schema: schemas.readerAction,
  scopes,
  parent: { resource: readerApi as ApiResource<unknown>, param: 'action' },
});

const register = createRoute(readerApi, {
  summary: 'Register a reader',
  description: 'In test mode a simulated one. A payment with the source `terminal` asks it for a card.',
  body: schemas.registerReader,
  bodyExample: { registration_code: 'SIMULATED-A', label: 'Counter 1' },
  responses: { 201: { description: 'Registered, and ready.', schema: schemas.reader } },
  testModeOnly: true,
  handle(request) {
    const { label, metadata = {} } = request.body;
    return runCommand(request, registerReader({ ...changedBy(request), label, metadata }));
  },
});

const update = updateRoute(readerApi, {
  summary: 'Update a reader',
  body: schemas.updateReader,
  bodyExample: { label: 'Counter 2' },
  handle(request) {
    const { label, metadata } = request.body;
    return runCommand(request, updateReader({ ...changedBy(request), readerId: request.params.id!, label, metadata }));
  },
});

const remove = removeRoute(readerApi, {
  summary: 'Remove a reader',
  responses: { 200: { description: 'It is asked for nothing more.', schema: schemas.deletedReader } },
  errors: ['reader_busy'],
  handle: (request) => runCommand(request, removeReader({ ...changedBy(request), readerId: request.params.id! })),
});

const list = listRoute(readerApi, { filters: {}, rows: (db, { bookId, page }) => listReaders(db, bookId, page) });

const listActions = childrenRoute(readerApi as ApiResource<unknown>, actionApi, {
  operation: 'listReaderActions',
  summary: 'List actions of a reader',
  filters: {},
  rows: (db, { bookId, parentId: readerId, page }) => listReaderActions(db, { bookId, readerId }, page),
});

const cancel = actionRoute(actionApi, 'cancel', {
  summary: 'Cancel an action of a reader',
  description: 'The reader stops asking, and the payment is canceled.',
  handle(request) {
    const { id, action } = request.params;
    const asked = { ...askedBy(request), readerId: id!, actionId: action!, ifMatch: request.ifMatch };
    return runUseCase(request, requestActionCancel, asked);
  },
});

export const readerRoutes = [
  register,
  list,
  readRoute(readerApi),
  update,
  remove,
  listActions,
  readRoute(actionApi),
  cancel,
];

const present = simulationRoute({
  path: '/v1/simulations/readers/:id/present_card',
  operation: 'simulateCardPresented',
  summary: 'Simulate a card at a reader',
  description:
    'The payer presents a test card, with a tip where they give one: amount and tip are authorized together. A decline leaves the reader asking. The answer waits for the acquirer.',
  params: { id: 'reader' },
  fingerprinted: (body, digestOf) => digestedCard(body, digestOf),
  waits: waitFor(paymentResource, {
    defaultSeconds: 10,
    isDone: ({ pendingOperation }) => pendingOperation === null,
  }),
  body: schemas.presentCard,
  bodyExample: { number: '4242424242424242', entry_mode: 'contactless', tip: 1_000 },
  responses: { 200: { description: 'The payment after it.', schema: payment } },
  errors: [
    'state_conflict',
    'card_number_not_allowed',
    'limit_exceeded',
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
  ],
  handle(request) {
    const { body, params } = request;
    return runUseCase(request, presentCard, {
      ...askedBy(request),
      readerId: params.id!,
      number: body.number,
      entryMode: body.entry_mode,
      tip: body.tip ?? 0n,
    });
  },
});

export const readerSimulationRoutes = [present];
