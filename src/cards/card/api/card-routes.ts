import { apiOf } from '../../../api/api-resource.ts';
import { createdAtFilter, externalIdFilter, metadataFilter, oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { type RouteAnswer, type RouteRequest, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { waitFor } from '../../../api/waits.ts';
import { actionRoute, createRoute, updateRoute } from '../../../api/write-routes.ts';
import type { UseCase } from '../../../idempotency/use-case.ts';
import {
  type CardActionInput,
  requestActivation,
  requestClosing,
  requestFreeze,
  requestShipped,
  requestUnblockedPin,
  requestUnfreeze,
} from '../../actions/act-on-card.ts';
import { contentOf } from '../../controls/api/controls-schemas.ts';
import { requestReplacement } from '../../issuing/replace-card.ts';
import { requestCard } from '../../issuing/request-card.ts';
import { CARD_TYPES } from '../card.ts';
import { cardResource, isAnswered } from '../card-resource.ts';
import { listCards } from '../card-store.ts';
import { requestCardUpdate } from '../update-card.ts';
import * as schemas from './card-schemas.ts';

export const cardApi = apiOf(cardResource, {
  path: '/v1/cards',
  tag: 'Cards',
  type: 'Card',
  names: { types: 'Cards', one: 'a card', many: 'cards' },
  schema: schemas.card,
  scopes: { read: 'cards:read', write: 'cards:write' },
});

/** As payments wait for their acquirer (API.md §5). */
const WAIT_SECONDS = 10;

const waits = waitFor(cardResource, { defaultSeconds: WAIT_SECONDS, doneStatus: 201, isDone: isAnswered });

const made = {
  201: {
    description: 'The processor has issued it, or refused to: then it is `closed`, and `closed_reason` says why.',
    schema: schemas.card,
  },
  202: { description: 'Accepted, and not issued yet: `last_four` is null.', schema: schemas.card },
};

const create = createRoute(cardApi, {
  summary: 'Create a card',
  description:
    'The answer waits up to 10 s for the processor: 201, or 202 while the card is still to be issued; `Prefer: respond-async` answers at once. No answer of this route, and no event, has its number or security code: `GET /v1/cards/{id}/details` has them.',
  waits,
  body: schemas.createCard,
  bodyExample: schemas.createCardExample,
  responses: made,
  errors: [
    'resource_not_found',
    'account_closed',
    'currency_mismatch',
    'processor_unavailable',
    'card_number_not_allowed',
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
  ],
  handle(request) {
    const { body, principal } = request;
    return runUseCase(request, requestCard, {
      ...askedBy(request),
      mode: principal.mode,
      accountId: body.account,
      type: body.type,
      cardholder: schemas.cardholderOf(body.cardholder),
      shipping: schemas.shippingOf(body.shipping),
      controls: body.controls ? contentOf(body.controls) : null,
      externalId: body.external_id ?? null,
      metadata: body.metadata ?? {},
    });
  },
});

const list = listRoute(cardApi, {
  filters: {
    account: reference('account', 'Cards of this account.').optional(),
    status: oneOrMore(schemas.CARD_STATUSES, 'Cards in any of these states.'),
    type: oneOrMore(CARD_TYPES, 'Cards of any of these types.'),
    created_at: createdAtFilter,
    external_id: externalIdFilter,
    metadata: metadataFilter,
  },
  rows(db, { bookId, query, page }) {
    const { account: accountId, status: statuses, type: types, created_at: created, external_id, metadata } = query;
    return listCards(db, bookId, { accountId, statuses, types, created, externalId: external_id, metadata }, page);
  },
});

const read = readRoute(cardApi, { waits: waitFor(cardResource, { isDone: isAnswered }) });

const update = updateRoute(cardApi, {
  summary: 'Update a card',
  body: schemas.updateCard,
  bodyExample: { external_id: 'card-77' },
  errors: ['state_conflict', 'card_number_not_allowed'],
  handle(request) {
    const { body, params, ifMatch } = request;
    return runUseCase(request, requestCardUpdate, {
      ...askedBy(request),
      cardId: params.id!,
      ifMatch,
      cardholder: body.cardholder && schemas.cardholderOf(body.cardholder),
      externalId: body.external_id,
      metadata: body.metadata,
    });
  },
});

type CardUseCase = UseCase<Parameters<typeof requestFreeze.prepare>[0], CardActionInput>;

function act(request: RouteRequest, useCase: CardUseCase): Promise<RouteAnswer> {
  return runUseCase(request, useCase, {
    ...askedBy(request),
    cardId: request.params.id!,
    ifMatch: request.ifMatch,
  });
}

const activate = actionRoute(cardApi, 'activate', {
  summary: 'Activate a card',
  description: 'A card that waited pays from now on. The cards that it replaces are closed in the same commit.',
  handle: (request) => act(request, requestActivation),
});

const freeze = actionRoute(cardApi, 'freeze', {
  summary: 'Freeze a card',
  description: 'Only credits pass until it is unfrozen. What is held stays held, and clears.',
  handle: (request) => act(request, requestFreeze),
});

const unfreeze = actionRoute(cardApi, 'unfreeze', {
  summary: 'Unfreeze a card',
  handle: (request) => act(request, requestUnfreeze),
});

const close = actionRoute(cardApi, 'close', {
  summary: 'Close a card',
  description:
    'For good. What it had authorized still clears, and refunds pass. Without a card that replaces it, its tokens are deactivated in the same commit.',
  handle: (request) => act(request, requestClosing),
});

const ship = actionRoute(cardApi, 'ship', {
  summary: 'Mark a card as shipped',
  handle: (request) => act(request, requestShipped),
});

const unblockPin = actionRoute(cardApi, 'unblock_pin', {
  operation: 'unblockCardPin',
  summary: "Unblock a card's PIN",
  description: 'Entered PINs are judged again, and the count of wrong ones is 0.',
  handle: (request) => act(request, requestUnblockedPin),
});

const replace = actionRoute(cardApi, 'replace', {
  summary: 'Replace a card',
  description:
    'The answer is the card that follows, and waits for the processor as its creation does. Controls, usage and tokens go on with it; `external_id` and `metadata` stay with the card that had them.',
  waits,
  body: schemas.replaceCard,
  bodyExample: { reason: 'lost' },
  responses: made,
  errors: ['limit_exceeded', 'card_number_not_allowed'],
  handle(request) {
    const { body, params, ifMatch } = request;
    return runUseCase(request, requestReplacement, {
      ...askedBy(request),
      cardId: params.id!,
      ifMatch,
      reason: body.reason,
      shipping: schemas.shippingOf(body.shipping),
    });
  },
});

const timeline = timelineRoute(cardApi);

export const cardRoutes = routesSince('0.4.0', [
  create,
  read,
  list,
  update,
  activate,
  freeze,
  unfreeze,
  close,
  ship,
  unblockPin,
  replace,
  timeline,
]);
