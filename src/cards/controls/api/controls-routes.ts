import type { ApiResource, Listed } from '../../../api/api-resource.ts';
import { createdAtFilter, oneOrMore } from '../../../api/pages.ts';
import { childrenRoute, listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { type RouteAnswer, type RouteRequest, route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { actionRoute, createRoute } from '../../../api/write-routes.ts';
import type { Page, PageRequest } from '../../../db/page.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { UseCase } from '../../../idempotency/use-case.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import { cardApi } from '../../card/api/card-routes.ts';
import { cards } from '../../card/card-table.ts';
import { usageView } from '../../counters/controls-usage.ts';
import { readUsage, type UsageRead } from '../../counters/usage-store.ts';
import { SCOPES } from '../controls.ts';
import { controlsResource, controlsView } from '../controls-resource.ts';
import { type ControlsFilter, listControls } from '../controls-store.ts';
import { cardControls, type StoredControls } from '../controls-table.ts';
import {
  type ControlsActionInput,
  requestActivation,
  requestControls,
  requestRetirement,
  requestShadow,
} from '../request-controls.ts';
import * as schemas from './controls-schemas.ts';
import { subjectOf } from './controls-subject.ts';

/** A version, with what its limits have used up. */
interface ReadControls {
  readonly version: StoredControls;
  readonly read: UsageRead;
}

export const controlsApi: ApiResource<ReadControls> = {
  declared: controlsResource,
  path: '/v1/cards/controls',
  tag: 'Cards',
  type: 'CardControls',
  names: { types: 'CardControlsVersions', one: 'a version of controls', many: 'versions of controls' },
  cursor: 'cardControls',
  schema: schemas.controls,
  scopes: { read: 'cards:read', write: 'cards:write' },
  async find(db, bookId, id) {
    const version = await cardControls.find(db, bookId, id);
    return version && { version, read: await readUsage(db, bookId, [version]) };
  },
  view: ({ version, read }, { livemode, wall }) =>
    controlsView(version, livemode, (place) => usageView(version, place, { read, wall })),
};

async function listWithUsage(
  db: Queryable,
  bookId: BookId,
  filter: ControlsFilter,
  page: PageRequest,
): Promise<Page<ReadControls>> {
  const { rows, ...end } = await listControls(db, bookId, filter, page);
  const read = await readUsage(db, bookId, rows);
  return { ...end, rows: rows.map((version) => ({ version, read })) };
}

/** Controls belong to the line of a card. */
async function lineOf(db: Queryable, bookId: BookId, cardId: Uuid): Promise<Uuid | undefined> {
  return (await cards.find(db, bookId, cardId))?.lineId;
}

const NOBODY: Page<ReadControls> = { rows: [], hasMore: false };

const AMOUNT_ERRORS = ['amount_not_integer', 'amount_below_minimum', 'amount_above_maximum'] as const;

const create = createRoute(controlsApi, {
  summary: 'Create a version of controls',
  description:
    'For one card, one account or the program. A version never changes: another one takes its place. Amounts are minor units of the currency of the account that a purchase leaves.',
  body: schemas.createControls,
  bodyExample: schemas.createControlsExample,
  responses: { 201: { description: 'The version, in the status that was asked for.', schema: schemas.controls } },
  errors: ['resource_not_found', ...AMOUNT_ERRORS],
  handle(request) {
    const { body } = request;
    return runUseCase(request, requestControls, {
      ...askedBy(request),
      subject: subjectOf(body),
      content: schemas.contentOf(body),
      status: body.status ?? 'draft',
    });
  },
});

const list = listRoute(controlsApi, {
  filters: {
    card: reference('card', 'Versions of the line of this card.').optional(),
    account: reference('account', 'Versions of this account; not of its cards.').optional(),
    scope: oneOrMore(SCOPES, 'Versions of any of these scopes.'),
    status: oneOrMore(schemas.CONTROLS_STATUSES, 'Versions in any of these states.'),
    created_at: createdAtFilter,
  },
  async rows(db, { bookId, query, page }) {
    const { card, account, scope: scopes, status: statuses, created_at: created } = query;
    const line = card === undefined ? undefined : await lineOf(db, bookId, card);
    const isNobody = card !== undefined && (line === undefined || account !== undefined);
    if (isNobody) return NOBODY;
    return listWithUsage(db, bookId, { subjectId: line ?? account, scopes, statuses, created }, page);
  },
});

type ControlsUseCase = UseCase<Parameters<typeof requestShadow.prepare>[0], ControlsActionInput>;

function act(request: RouteRequest, useCase: ControlsUseCase): Promise<RouteAnswer> {
  return runUseCase(request, useCase, {
    ...askedBy(request),
    controlsId: request.params.id!,
    ifMatch: request.ifMatch,
  });
}

const shadow = actionRoute(controlsApi, 'shadow', {
  summary: 'Try out a version of controls',
  description:
    'It is evaluated beside the active one: what it would decline is shown, and nothing else differs. The version that was tried out before is retired. 412 for one that is older than the active one.',
  handle: (request) => act(request, requestShadow),
});

const activate = actionRoute(controlsApi, 'activate', {
  summary: 'Activate a version of controls',
  description:
    'It decides from now on, and the active one before it is retired. 412 for one that is older than that: somebody has decided since.',
  handle: (request) => act(request, requestActivation),
});

const retire = actionRoute(controlsApi, 'retire', {
  summary: 'Retire a version of controls',
  description: 'For good. Without an active version nothing is restricted in its scope.',
  handle: (request) => act(request, requestRetirement),
});

const ofCard: Listed<ReadControls> = { ...controlsApi, path: '/v1/cards/:id/controls' };

const listOfCard = childrenRoute(cardApi as ApiResource<unknown>, ofCard, {
  operation: 'listControlsOfCard',
  summary: 'List versions of controls of a card',
  filters: { status: oneOrMore(schemas.CONTROLS_STATUSES, 'Versions in any of these states.') },
  async rows(db, { bookId, parentId, query, page }) {
    const subjectId = await lineOf(db, bookId, parentId);
    if (subjectId === undefined) return NOBODY;
    return listWithUsage(db, bookId, { subjectId, statuses: query.status }, page);
  },
});

const createOfCard = route({
  method: 'post',
  path: '/v1/cards/:id/controls',
  operation: 'createControlsOfCard',
  tag: 'Cards',
  of: { resource: ofCard, kind: 'create' },
  summary: 'Set controls of a card',
  description: 'Makes a version for the card and, unless `status` says otherwise, activates it in the same commit.',
  scope: 'cards:write',
  params: { id: 'card' },
  body: schemas.createCardControls,
  bodyExample: schemas.createCardControlsExample,
  responses: { 201: { description: 'The version, in the status that was asked for.', schema: schemas.controls } },
  errors: AMOUNT_ERRORS,
  handle(request) {
    const { body, params } = request;
    return runUseCase(request, requestControls, {
      ...askedBy(request),
      subject: { scope: 'card', cardId: params.id!, param: 'id' },
      content: schemas.contentOf(body),
      status: body.status ?? 'active',
    });
  },
});

/** Static paths before those with an id of a card. */
export const controlsRoutes = routesSince('0.4.0', [
  create,
  list,
  readRoute(controlsApi),
  timelineRoute(controlsApi),
  shadow,
  activate,
  retire,
  createOfCard,
  listOfCard,
]);
