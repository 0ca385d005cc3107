/** What is shown of a card to whoever has a key for it, and the list of who saw it. */
import { actorOf, isLive } from '../../../api/answers.ts';
import type { ApiResource, Listed } from '../../../api/api-resource.ts';
import { childrenRoute } from '../../../api/read-routes.ts';
import { type RouteRequest, route, routesSince } from '../../../api/route.ts';
import type { Revealed } from '../../../processors/processor.ts';
import { parseActor, viewOfActor } from '../../../values/actor.ts';
import { formatInstant } from '../../../values/clock.ts';
import { publicId } from '../../../values/ids.ts';
import { cardApi } from '../../card/api/card-routes.ts';
import { listAccesses } from '../detail-access-store.ts';
import type { DetailAccess } from '../detail-access-table.ts';
import { revealCard } from '../reveal-card.ts';
import * as schemas from './detail-schemas.ts';

const SHOWN_TO_WHOM =
  'Needs the scope `cards:details`; in live mode the operator gives a key the scope by its name: `*` does not include it. Every call is kept, with who asked and from where.';

function reveal(request: RouteRequest, what: DetailAccess['what']): Promise<Revealed> {
  const { runtime, principal, params, requestId, clientAddress: address } = request;
  return revealCard(runtime, {
    bookId: principal.bookId,
    cardId: params.id!,
    what,
    actor: actorOf(principal),
    address,
    requestId,
  });
}

function about({ principal, params }: RouteRequest) {
  return { livemode: isLive(principal), card: publicId('card', params.id!) };
}

const details = route({
  method: 'get',
  path: '/v1/cards/:id/details',
  operation: 'getCardDetails',
  tag: 'Cards',
  summary: 'Show the number of a card',
  description: `Number and security code in test mode; in live mode a page of the processor that shows them once. ${SHOWN_TO_WHOM} Of a closed card: 409.`,
  scope: 'cards:details',
  params: { id: 'card' },
  responses: { 200: { description: 'For this answer alone: keep it nowhere.', schema: schemas.cardDetails } },
  errors: ['state_conflict'],
  async handle(request) {
    const revealed = await reveal(request, 'details');
    const head = { object: 'card_details', ...about(request) };
    if (revealed.shown === 'url') {
      const { url, expiresAt } = revealed;
      const page = { url, expires_at: formatInstant(expiresAt) };
      return { status: 200, json: { ...head, number: null, cvc: null, exp_month: null, exp_year: null, ...page } };
    }
    const { number, cvc, expMonth, expYear } = revealed;
    const clear = { number, cvc, exp_month: expMonth, exp_year: expYear };
    return { status: 200, json: { ...head, ...clear, url: null, expires_at: null } };
  },
});

const pin = route({
  method: 'get',
  path: '/v1/cards/:id/pin',
  operation: 'getCardPin',
  tag: 'Cards',
  summary: 'Show the PIN of a card',
  description: `A page of the processor that shows it once: no PIN ever passes this API. In test mode there is none: 409. ${SHOWN_TO_WHOM} Of a closed card: 409.`,
  scope: 'cards:details',
  params: { id: 'card' },
  responses: { 200: { description: 'Where it is shown.', schema: schemas.cardPin } },
  errors: ['state_conflict'],
  async handle(request) {
    const revealed = await reveal(request, 'pin');
    // A processor that shows a PIN in clear would bring it here.
    if (revealed.shown !== 'url') throw new Error('The processor shows a PIN in clear');
    const { url, expiresAt } = revealed;
    return {
      status: 200,
      json: { object: 'card_pin', ...about(request), url, expires_at: formatInstant(expiresAt) },
    };
  },
});

const NO_OWNERS = new Map();

const accessesOfCard: Listed<DetailAccess> = {
  path: '/v1/cards/:id/details/accesses',
  type: 'CardDetailAccess',
  cursor: 'request',
  declared: null,
  schema: schemas.detailAccess,
  view: ({ id, what, actor, address, createdAt }) => ({
    id: publicId('request', id),
    object: 'card_detail_access',
    what,
    actor: viewOfActor(parseActor(actor), NO_OWNERS),
    address,
    created_at: formatInstant(createdAt),
  }),
};

const accesses = childrenRoute(cardApi as ApiResource<unknown>, accessesOfCard, {
  operation: 'listCardDetailAccesses',
  summary: 'List who saw the number of a card',
  description: 'Every call of `/details` and `/pin`, also one that the processor did not answer.',
  filters: {},
  rows: (db, { bookId, parentId: cardId, page }) => listAccesses(db, { bookId, cardId }, page),
});

export const detailRoutes = routesSince('0.4.0', [details, pin, accesses]);
