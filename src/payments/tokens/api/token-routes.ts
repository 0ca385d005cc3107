import { changedBy, runCommand } from '../../../api/answers.ts';
import { apiOf } from '../../../api/api-resource.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { createRoute, removeRoute } from '../../../api/write-routes.ts';
import { cardOf, digestedCard } from '../../payment/api/card-schema.ts';
import { deleteToken } from '../delete-token.ts';
import { paymentTokenResource } from '../payment-token-resource.ts';
import { requestToken } from '../request-token.ts';
import { listTokens } from '../token-store.ts';
import * as schemas from './token-schemas.ts';

const tokenApi = apiOf(paymentTokenResource, {
  path: '/v1/payments/tokens',
  tag: 'Payments',
  type: 'PaymentToken',
  names: { types: 'PaymentTokens', one: 'a token', many: 'tokens' },
  schema: schemas.paymentToken,
  scopes: { read: 'payments:read', write: 'payments:write' },
});

const create = createRoute(tokenApi, {
  summary: 'Create a token',
  description:
    'The card is exchanged for the acquirer’s token before anything is stored. With `customer_reference` the token is kept and pays any number of times; without it, its first payment uses it up.',
  fingerprinted(body, digestOf) {
    const { card, ...rest } = body as { card?: unknown };
    return card === undefined ? rest : { ...rest, card: digestedCard(card, digestOf) };
  },
  body: schemas.createToken,
  bodyExample: schemas.createTokenExample,
  responses: {
    201: { description: 'Made; `verification` says whether its issuer approves.', schema: schemas.paymentToken },
  },
  errors: ['card_number_not_allowed', 'card_data_disabled', 'acquirer_unavailable', 'token_invalid'],
  handle(request) {
    const { body, principal } = request;
    return runUseCase(request, requestToken, {
      ...askedBy(request),
      mode: principal.mode,
      card: body.card && cardOf(body.card),
      acquirerToken: body.acquirer_token,
      customerReference: body.customer_reference ?? null,
      verify: body.verify,
    });
  },
});

const list = listRoute(tokenApi, {
  filters: {
    customer_reference: schemas.customerReference.optional().meta({ description: 'Tokens kept for this customer.' }),
  },
  rows: (db, { bookId, query, page }) => listTokens(db, bookId, { customerReference: query.customer_reference }, page),
});

const remove = removeRoute(tokenApi, {
  summary: 'Delete a token',
  description: 'It pays nothing from now on. Payments that it paid stay as they are.',
  responses: { 200: { description: 'It pays nothing any more.', schema: schemas.deletedToken } },
  errors: ['state_conflict'],
  handle: (request) => runCommand(request, deleteToken({ ...changedBy(request), tokenId: request.params.id! })),
});

export const tokenRoutes = [create, list, readRoute(tokenApi), remove];
