/** Transactions to read: lists, one, its messages, its timeline, and what became of a message. */
import { found, isLive } from '../../../api/answers.ts';
import { type ApiResource, apiOf, type Listed } from '../../../api/api-resource.ts';
import { createdAtFilter, metadataFilter, oneOrMore } from '../../../api/pages.ts';
import { childrenRoute, listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { updateRoute } from '../../../api/write-routes.ts';
import { messageKey } from '../../../idempotency/idempotency-key.ts';
import { idempotencyKeys } from '../../../idempotency/idempotency-table.ts';
import { formatInstant } from '../../../values/clock.ts';
import { publicId } from '../../../values/ids.ts';
import { findMessageByReference, listMessages } from '../../message/message-list-store.ts';
import { transactionMessageResource } from '../../message/message-resource.ts';
import { messageView, type ShownMessage } from '../../message/message-view.ts';
import { listPurchases } from '../purchase-list-store.ts';
import { transactionResource } from '../purchase-resource.ts';
import { requestPurchaseUpdate } from '../update-purchase.ts';
import * as schemas from './transaction-schemas.ts';

export const transactionApi = apiOf(transactionResource, {
  path: '/v1/transactions',
  tag: 'Transactions',
  type: 'Transaction',
  names: { types: 'Transactions', one: 'a transaction', many: 'transactions' },
  schema: schemas.transaction,
  scopes: { read: 'transactions:read', write: 'transactions:write' },
});

const list = listRoute(transactionApi, {
  filters: {
    account: reference('account', 'Transactions of this account.').optional(),
    card: reference('card', 'Transactions whose first message was with this card.').optional(),
    status: oneOrMore(schemas.TRANSACTION_STATUSES, 'Transactions in any of these states.'),
    created_at: createdAtFilter,
    metadata: metadataFilter,
  },
  rows(db, { bookId, query, page }) {
    const { account: accountId, card: cardId, status: statuses, created_at: created, metadata } = query;
    return listPurchases(db, bookId, { accountId, cardId, statuses, created, metadata }, page);
  },
});

const eventList: Listed<ShownMessage> = {
  path: '/v1/transactions/:id/events',
  type: 'TransactionEvent',
  schema: schemas.transactionEvent,
  cursor: 'transactionMessage',
  declared: transactionMessageResource,
  view: (message, { livemode }) => messageView(message, livemode),
};

const events = childrenRoute(transactionApi as ApiResource<unknown>, eventList, {
  operation: 'listTransactionEvents',
  summary: 'List events of a transaction',
  description: 'Its messages, which never change.',
  filters: {},
  rows: (db, { bookId, parentId, page }) => listMessages(db, bookId, parentId, page),
});

const update = updateRoute(transactionApi, {
  summary: 'Update a transaction',
  body: schemas.updateTransaction,
  bodyExample: { metadata: { receipt: '77' } },
  handle(request) {
    const { body, params, ifMatch } = request;
    const change = { transactionId: params.id!, ifMatch, metadata: body.metadata };
    return runUseCase(request, requestPurchaseUpdate, { ...askedBy(request), ...change });
  },
});

const UNKNOWN =
  'No message with this reference has been taken so far. What was refused may be sent again under it; one may still be on its way.';

const taken = route({
  method: 'get',
  path: '/v1/transactions/messages/:message_reference',
  operation: 'getTransactionMessage',
  tag: 'Transactions',
  summary: 'Retrieve what became of a message',
  scope: 'transactions:read',
  // Whoever has sent a message may ask what became of it.
  orScope: 'transactions:process',
  params: { message_reference: 'text' },
  responses: { 200: { description: 'The message, and the transaction that took it.', schema: schemas.takenMessage } },
  errors: ['resource_not_found'],
  async handle({ runtime, principal, params }) {
    const { bookId } = principal;
    const reference = params.message_reference!;
    const known = await idempotencyKeys.find(runtime.pool, bookId, messageKey(reference));
    const record = found(known, 'message_reference', UNKNOWN);
    const transactionId = record.resourceId!;
    const message = await findMessageByReference(runtime.pool, bookId, { transactionId, reference });
    const livemode = isLive(principal);
    return {
      status: 200,
      json: {
        object: 'transaction_message',
        livemode,
        message_reference: reference,
        transaction: publicId('transaction', transactionId),
        event: messageView(found(message, 'message_reference', UNKNOWN), livemode),
        request_id: publicId('request', record.requestId),
        created_at: formatInstant(record.createdAt),
      },
    };
  },
});

/** Static paths: before those with an id of a transaction. */
export const transactionRoutes = routesSince('0.4.0', [
  taken,
  list,
  readRoute(transactionApi),
  timelineRoute(transactionApi),
  events,
  update,
]);
