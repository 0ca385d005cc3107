/** Messages of processors: requests that are decided in one round trip, and everything that follows. */
import type { z } from 'zod';
import { shows } from '../../../api/api-resource.ts';
import { dryRunQuery } from '../../../api/dry-run.ts';
import { type Route, type RouteRequest, route, routesSince } from '../../../api/route.ts';
import { askedBy } from '../../../api/run-use-case.ts';
import { transactionApi } from '../../purchase/api/transaction-routes.ts';
import { transaction } from '../../purchase/api/transaction-schemas.ts';
import type { ReceivedMessage } from '../received-message.ts';
import * as messages from './message-of-body.ts';
import * as schemas from './message-schemas.ts';
import { takeMessage } from './take-message.ts';

interface Declared<Body extends z.ZodType> {
  /** Behind /v1/transactions. */
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly body: Body;
  readonly bodyExample: unknown;
  /** Asks for a decision: it may be asked in vain. */
  readonly isDryRunnable?: true;
  messageOf(of: messages.Of, body: z.output<Body>): ReceivedMessage;
}

const AMOUNT_ERRORS = ['amount_not_integer', 'amount_below_minimum', 'amount_above_maximum'] as const;

export const TAKEN = { 200: shows({ schema: transaction }, 'The transaction, with the message.') };
export const ASKED = {
  200: { description: 'The transaction, with what was decided.', schema: transaction, mayShow: ['dry_run'] },
};

function messageRoute<Body extends z.ZodType>({ path, messageOf, isDryRunnable, ...declared }: Declared<Body>): Route {
  const isOfOne = path.startsWith('/:id/');
  const action = isOfOne ? path.slice('/:id/'.length) : undefined;
  return route({
    ...declared,
    method: 'post',
    path: `/v1/transactions${path}`,
    tag: 'Transactions',
    of: { resource: transactionApi, ...(action === undefined ? { kind: 'create' } : { kind: 'action', action }) },
    scope: 'transactions:process',
    isMessage: true,
    ...(isOfOne && { params: { id: 'transaction' as const } }),
    ...(isDryRunnable && { query: dryRunQuery }),
    responses: isDryRunnable ? ASKED : TAKEN,
    errors: [...AMOUNT_ERRORS, 'currency_unsupported', 'currency_mismatch', 'resource_not_found', 'limit_exceeded'],
    handle: (request) => takeMessage(request, messageOf(ofRequest(request, isOfOne), request.body as z.output<Body>)),
  });
}

function ofRequest(request: RouteRequest, isOfOne: boolean): messages.Of {
  return { ...askedBy(request), purchaseId: isOfOne ? request.params.id! : null };
}

const REFERENCES = { message_reference: 'msg-77', network_reference: 'net-1041' };
const MERCHANT = { id: 'M1041', acquirer_id: 'Q7', name: 'Corner Shop', city: 'Amman', country: 'JO', mcc: '5411' };
const CARD = 'card_01k5c2r3v8e9m0x6y7z4a1b2cd';

export const authorizationExample = {
  card: CARD,
  amount: 4_000,
  currency: 'USD',
  ...REFERENCES,
  merchant: MERCHANT,
  entry_mode: 'chip',
};

const authorize = messageRoute({
  path: '',
  operation: 'createTransaction',
  summary: 'Authorize a card purchase',
  description:
    'Decided in one round trip, and held in the same commit; a decline is an answer. `message_reference` names the message: a repeat gets the first answer to the byte. Where the program has a decision endpoint and our rules approve, it is asked first, and may narrow what they allow. With `dry_run=true` the same is decided, the endpoint is asked all the same, and nothing is written.',
  body: schemas.createAuthorization,
  bodyExample: authorizationExample,
  isDryRunnable: true,
  messageOf: messages.authorizationMessage,
});

const increment = messageRoute({
  path: '/:id/increment',
  operation: 'incrementTransaction',
  summary: 'Increment a card purchase',
  description: 'Asks for more: the amount is added. Of a transaction that is closed it is declined.',
  body: schemas.increment,
  bodyExample: { message_reference: 'msg-78', amount: 1_500 },
  isDryRunnable: true,
  messageOf: messages.incrementMessage,
});

const createIncrement = messageRoute({
  path: '/increments',
  operation: 'createTransactionIncrement',
  summary: 'Increment an authorization by its network reference',
  description: 'As `/increment`, for messages that have no id of their transaction.',
  body: schemas.createIncrement,
  bodyExample: { ...REFERENCES, amount: 1_500 },
  isDryRunnable: true,
  messageOf: messages.incrementMessage,
});

const reverse = messageRoute({
  path: '/:id/reverse',
  operation: 'reverseTransaction',
  summary: 'Reverse an authorization, a clearing or a refund',
  description:
    'Takes back what was authorized, in part or all of it; with `reverses`, what that message has posted. What a single message has posted comes back with its reversal.',
  body: schemas.reverse,
  bodyExample: { message_reference: 'msg-79' },
  messageOf: messages.reversalMessage,
});

const createReversal = messageRoute({
  path: '/reversals',
  operation: 'createTransactionReversal',
  summary: 'Reverse by the network reference',
  description:
    'As `/reverse`. One that comes before its authorization takes its amount off what comes; one of a clearing or refund that is not here waits for it.',
  body: schemas.createReversal,
  bodyExample: { ...REFERENCES, amount: 1_500 },
  messageOf: messages.reversalMessage,
});

const clear = messageRoute({
  path: '/:id/clear',
  operation: 'clearTransaction',
  summary: 'Clear a transaction',
  description:
    'Posted in full: less than was held, more, late, on a frozen account. What is out of the ordinary is flagged.',
  body: schemas.clear,
  bodyExample: { message_reference: 'msg-80', amount: 4_000, currency: 'USD' },
  messageOf: messages.clearingMessage,
});

const createClearing = messageRoute({
  path: '/clearings',
  operation: 'createTransactionClearing',
  summary: 'Clear by the network reference',
  description:
    'As `/clear`. What was never authorized is a forced post: it is posted all the same, and names in `resembles` the one open transaction that it may belong to.',
  body: schemas.createClearing,
  bodyExample: { ...REFERENCES, amount: 4_000, currency: 'USD' },
  messageOf: messages.clearingMessage,
});

const refund = messageRoute({
  path: '/:id/refund',
  operation: 'refundTransaction',
  summary: 'Refund a transaction',
  description: 'Posted to the account. Credits of disputes that it overlaps are taken back, the newest first.',
  body: schemas.refund,
  bodyExample: { message_reference: 'msg-81', amount: 1_000, currency: 'USD' },
  messageOf: messages.refundMessage,
});

const createRefund = messageRoute({
  path: '/refunds',
  operation: 'createTransactionRefund',
  summary: 'Refund by the network reference',
  description: 'As `/refund`. Without a transaction of ours it is `unmatched`.',
  body: schemas.createRefund,
  bodyExample: { ...REFERENCES, card: CARD, merchant: MERCHANT, amount: 1_000, currency: 'USD' },
  messageOf: messages.refundMessage,
});

const createAdvice = messageRoute({
  path: '/advices',
  operation: 'createTransactionAdvice',
  summary: 'Record what the network has decided',
  description:
    'Recorded as it was decided, never declined: it may hold below the floor, flagged. A completion replaces what was authorized; what the network declined takes back what we approved.',
  body: schemas.createAdvice,
  bodyExample: {
    ...REFERENCES,
    card: CARD,
    merchant: MERCHANT,
    currency: 'USD',
    advice: { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 4_000 },
  },
  messageOf: messages.adviceMessage,
});

const expire = messageRoute({
  path: '/:id/expire',
  operation: 'expireTransaction',
  summary: 'Expire a transaction',
  description: 'Releases what is held before its time. A clearing that comes later is posted, flagged `late`.',
  body: schemas.expire,
  bodyExample: { message_reference: 'msg-82' },
  messageOf: messages.expiryMessage,
});

/** Static paths: before those with an id of a transaction. */
export const messageRoutes = routesSince('0.4.0', [
  authorize,
  createIncrement,
  createReversal,
  createClearing,
  createRefund,
  createAdvice,
  increment,
  reverse,
  clear,
  refund,
  expire,
]);
