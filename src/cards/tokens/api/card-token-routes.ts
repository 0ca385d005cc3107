import type { z } from 'zod';
import { changedBy, runCommand } from '../../../api/answers.ts';
import { type ApiResource, apiOf, type Listed } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { childrenRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { type Route, type RouteRequest, route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { actionRoute } from '../../../api/write-routes.ts';
import { simulatedReference } from '../../../outside/sandboxes/simulated-reference.ts';
import type { Uuid } from '../../../values/ids.ts';
import { cardApi } from '../../card/api/card-routes.ts';
import { cards } from '../../card/card-table.ts';
import { requestToken } from '../../lines/request-token.ts';
import { actOnToken } from '../act-on-token.ts';
import type { CardTokenAction } from '../card-token.ts';
import { cardTokenResource } from '../card-token-resource.ts';
import { listTokensOfLine } from '../card-token-store.ts';
import type { StoredCardToken } from '../card-token-table.ts';
import * as schemas from './card-token-schemas.ts';

export const cardTokenApi = apiOf(cardTokenResource, {
  path: '/v1/cards/tokens',
  tag: 'Cards',
  type: 'CardToken',
  names: { types: 'CardTokens', one: 'a token of a card', many: 'tokens of a card' },
  schema: schemas.cardToken,
  scopes: { read: 'cards:read', write: 'cards:write' },
});

const ofCard: Listed<StoredCardToken> = { ...cardTokenApi, path: '/v1/cards/:id/tokens' };

const list = childrenRoute(cardApi as ApiResource<unknown>, ofCard, {
  operation: 'listCardTokens',
  summary: 'List tokens of a card',
  description: 'Of its line: tokens go on with the card that replaces it.',
  filters: { status: oneOrMore(schemas.TOKEN_STATUSES, 'Tokens in any of these states.') },
  async rows(db, { bookId, parentId, query, page }) {
    const card = await cards.find(db, bookId, parentId);
    return listTokensOfLine(db, { bookId, lineId: card!.lineId, statuses: query.status }, page);
  },
});

type Body = z.output<typeof schemas.createCardToken>;

function request(
  asked: RouteRequest<Omit<Body, 'token_reference'>>,
  of: { cardId: Uuid; cardParam: string; tokenReference: string },
) {
  const { body } = asked;
  return runUseCase(asked, requestToken, {
    ...askedBy(asked),
    ...of,
    network: body.network ?? null,
    wallet: body.wallet,
    requestorId: body.requestor_id ?? null,
    lastFour: body.last_four ?? null,
    deviceType: body.device?.type ?? null,
    deviceName: body.device?.name ?? null,
    deviceId: body.device?.id ?? null,
    recommendation: body.recommendation ?? null,
  });
}

const REQUESTED = {
  200: { description: 'Told before, under this `token_reference`: the token as it is.', schema: schemas.cardToken },
  201: { description: 'It waits for an approval.', schema: schemas.cardToken },
};

const create = route({
  method: 'post',
  path: '/v1/cards/:id/tokens',
  operation: 'requestCardToken',
  tag: 'Cards',
  of: { resource: ofCard, kind: 'create' },
  summary: 'Request a token of a card',
  description:
    'A network asks, through the processor. `token_reference` names the token: told twice, it is one token. Then approve it, have the cardholder verified, or decline it.',
  scope: 'transactions:process',
  params: { id: 'card' },
  body: schemas.createCardToken,
  bodyExample: schemas.createCardTokenExample,
  responses: REQUESTED,
  errors: ['state_conflict', 'limit_exceeded'],
  handle: (asked) =>
    request(asked, { cardId: asked.params.id!, cardParam: 'id', tokenReference: asked.body.token_reference }),
});

const SUMMARIES: Readonly<Record<CardTokenAction, readonly [summary: string, description: string]>> = {
  approve: [
    'Approve a token of a card',
    'It pays from now on. Also what the network tells once it has verified the cardholder.',
  ],
  verify: [
    'Have the cardholder of a token verified',
    'The token stays `requested`, and `verifying`: the network verifies the cardholder, then activates it.',
  ],
  decline: ['Decline a token of a card', 'It is deactivated, for good.'],
  suspend: ['Suspend a token of a card', 'It does not pay until it is resumed. The card itself does.'],
  resume: ['Resume a token of a card', 'It pays again.'],
  deactivate: ['Deactivate a token of a card', 'For good.'],
};

/** A processor sends them for its network. */
const OF_NETWORK: readonly CardTokenAction[] = ['approve', 'decline'];

const actions: Route[] = (Object.keys(SUMMARIES) as CardTokenAction[]).map((action) =>
  actionRoute(cardTokenApi, action, {
    summary: SUMMARIES[action][0],
    description: SUMMARIES[action][1],
    ...(OF_NETWORK.includes(action) && { orScope: 'transactions:process' }),
    handle: (asked) => runCommand(asked, actOnToken(action, { ...changedBy(asked), tokenId: asked.params.id! })),
  }),
);

const simulate = simulationRoute({
  path: '/v1/simulations/card_token_requests',
  operation: 'simulateCardTokenRequest',
  summary: 'Simulate a request for a token of a card',
  description: 'A wallet asks for the card, as a processor would tell it.',
  body: schemas.simulateCardToken,
  bodyExample: { card: 'card_01k5c2r3v8e9m0x6y7z4a1b2cd', wallet: 'apple_pay' },
  responses: REQUESTED,
  errors: ['resource_not_found', 'state_conflict', 'limit_exceeded'],
  handle(asked) {
    const { body } = asked;
    const tokenReference = body.token_reference ?? simulatedReference(askedBy(asked), 'token_reference');
    return request(asked, { cardId: body.card, cardParam: '/card', tokenReference });
  },
});

export const cardTokenSimulationRoutes = routesSince('0.4.0', [simulate]);

/** Static paths before those with an id of a card. */
export const cardTokenRoutes = routesSince('0.4.0', [
  readRoute(cardTokenApi),
  timelineRoute(cardTokenApi),
  ...actions,
  create,
  list,
]);
