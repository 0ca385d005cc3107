import { actorOf, changedBy, runCommand, storedAnswer } from '../../../api/answers.ts';
import { apiOf, type Listed } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { childrenRoute, listRoute, readRoute } from '../../../api/read-routes.ts';
import { type RouteAnswer, type RouteRequest, route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { actionRoute, createRoute, removeRoute, updateRoute } from '../../../api/write-routes.ts';
import { answerSecretPlace, revealedAnswer } from '../../../idempotency/answer-secret.ts';
import { internalKey, type Stored } from '../../../idempotency/idempotency-key.ts';
import type { OnceAnswer } from '../../../idempotency/once.ts';
import type { Command, Refusal } from '../../../ledger/command/command.ts';
import { requireUrl } from '../../../outside/connections/endpoint-url.ts';
import { type AllowList, parseAllowList } from '../../../values/public-address.ts';
import { newSecret } from '../../../values/standard-webhooks.ts';
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  type EndpointChange,
  enableEndpoint,
  requestEndpointUpdate,
  rotateSecret,
  sendTestEvent,
} from '../../actions/manage-endpoint.ts';
import { deliveryView, type ListedDelivery, listDeliveries } from '../../deliveries/delivery-list-store.ts';
import { event } from '../../events/api/event-schemas.ts';
import { recoverDeliveries, replayMissing, resendDelivery } from '../../replays/ask-replay.ts';
import { PREVIOUS_SECRETS_MAX, ROTATION_OVERLAP_DEFAULT_MS } from '../endpoint.ts';
import { endpointResource } from '../endpoint-resource.ts';
import type { NewSecret } from '../endpoint-secret.ts';
import { getEndpoint, listEndpoints } from '../endpoint-store.ts';
import * as schemas from './webhook-schemas.ts';

export const endpointApi = apiOf(endpointResource, {
  path: '/v1/webhooks',
  tag: 'Webhooks',
  type: 'WebhookEndpoint',
  names: { types: 'WebhookEndpoints', one: 'a webhook endpoint', many: 'webhook endpoints' },
  schema: schemas.webhook,
  scopes: { read: 'webhooks:read', write: 'webhooks:write' },
  find: getEndpoint,
});

/** Hosts and ports that this process allows for endpoints. */
function allowedBy({ runtime }: RouteRequest): { allow: AllowList; ports: readonly number[] } {
  const { WEBHOOK_ALLOW_HOSTS, WEBHOOK_ALLOW_PORTS } = runtime.config;
  return { allow: parseAllowList(WEBHOOK_ALLOW_HOSTS), ports: WEBHOOK_ALLOW_PORTS };
}

function changeOf(request: RouteRequest): EndpointChange {
  return { endpointId: request.params.id!, ...changedBy(request) };
}

/** Runs a command whose answer shows a secret. The stored answer contains the secret sealed. */
async function runRevealing(request: RouteRequest, command: Command<Stored | Refusal>): Promise<RouteAnswer> {
  const answer = await runCommand(request, command);
  return revealed(request, answer, request.idempotencyKey ?? internalKey(command.id));
}

function revealed({ runtime, principal }: RouteRequest, answer: RouteAnswer, key: string): RouteAnswer {
  const place = answerSecretPlace(principal.bookId, key);
  return { ...answer, text: revealedAnswer(answer.text!, runtime.secretBox, place) };
}

/** Only for requests with an idempotency key. */
function replayRevealing(request: RouteRequest, answer: OnceAnswer): RouteAnswer {
  return revealed(request, storedAnswer(answer), request.idempotencyKey!);
}

function newSecretOf({ runtime, principal, idempotencyKey }: RouteRequest): NewSecret {
  return { bookId: principal.bookId, idempotencyKey, secret: newSecret(), secretBox: runtime.secretBox };
}

/** Processes before would deliver out of order, beyond the rate, and without these headers and signatures. */
const OPTIONS_SINCE = { '0.4.0': ['/ordered', '/rate_limit', '/headers', '/signatures'] };

const create = createRoute(endpointApi, {
  summary: 'Create a webhook endpoint',
  description:
    'Subscribes a URL to events. The answer shows the secret that signs deliveries. A repeat under the same `Idempotency-Key` shows it again while its answer is kept (`idempotency.answer_kept_days` of `GET /v1/limits`); nothing else does. An event that is not answered with 2xx within 15 seconds is tried again, over three days; how to verify it, and to catch up: [Webhooks](/docs/webhooks).',
  body: schemas.createWebhook,
  membersSince: OPTIONS_SINCE,
  bodyExample: schemas.createWebhookExample,
  deliversTo: '$request.body#/url',
  responses: { 201: { description: 'Enabled.', schema: schemas.webhook, shows: ['secret'] } },
  errors: ['webhook_url_forbidden', 'limit_exceeded'],
  handle(request) {
    const { body, principal, requestId } = request;
    requireUrl(body.url);
    const command = createEndpoint({
      requestId,
      actor: actorOf(principal),
      url: body.url,
      events: body.events ?? ['*'],
      description: body.description ?? null,
      metadata: body.metadata ?? {},
      ...schemas.optionsOf(body),
      ...newSecretOf(request),
      ...allowedBy(request),
    });
    return runRevealing(request, command);
  },
  replay: replayRevealing,
});

const list = listRoute(endpointApi, {
  filters: {},
  rows: (db, { bookId, page }) => listEndpoints(db, bookId, page),
});

const read = readRoute(endpointApi);

const update = updateRoute(endpointApi, {
  summary: 'Update a webhook endpoint',
  body: schemas.updateWebhook,
  membersSince: OPTIONS_SINCE,
  bodyExample: { events: ['payout.paid', 'payout.failed'] },
  errors: ['webhook_url_forbidden'],
  handle(request) {
    const { body, params, ifMatch } = request;
    return runUseCase(request, requestEndpointUpdate, {
      ...askedBy(request),
      ...allowedBy(request),
      url: body.url,
      events: body.events,
      description: body.description,
      metadata: body.metadata,
      ...schemas.optionsOf(body),
      secretBox: request.runtime.secretBox,
      endpointId: params.id!,
      ifMatch,
    });
  },
});

const remove = removeRoute(endpointApi, {
  summary: 'Delete a webhook endpoint',
  responses: { 200: { description: 'Gone, with its secrets.', schema: schemas.deletedWebhook } },
  handle: (request) => runCommand(request, deleteEndpoint(changeOf(request))),
});

const enable = actionRoute(endpointApi, 'enable', {
  summary: 'Enable a webhook endpoint',
  description:
    'With `recover`, what it missed is delivered: events that were never written for it while it was disabled, and deliveries that failed or were canceled since its last failures began.',
  body: schemas.enableWebhook,
  membersSince: { '0.4.0': ['/recover'] },
  bodyExample: { recover: true },
  handle: (request) => runCommand(request, enableEndpoint({ ...changeOf(request), recover: request.body.recover })),
});

const disable = actionRoute(endpointApi, 'disable', {
  summary: 'Disable a webhook endpoint',
  description:
    'Nothing is sent from now on. Deliveries that fall due meanwhile are canceled, and where the endpoint is behind, all that waits for it. `recover` sends them again, and `replay_missing` the events of the time between.',
  handle: (request) => runCommand(request, disableEndpoint(changeOf(request))),
});

const test = actionRoute(endpointApi, 'test', {
  summary: 'Send a test event',
  description:
    'A `webhook.test` for this endpoint alone, whatever its filter. It is sent at once, also where other deliveries wait for the endpoint: neither its order nor its rate holds it back.',
  ifMatch: false,
  responses: { 202: { description: 'On its way.', schema: event } },
  handle: (request) => runCommand(request, sendTestEvent(changeOf(request))),
});

const rotate = actionRoute(endpointApi, 'rotate_secret', {
  operation: 'rotateWebhookSecret',
  summary: "Rotate a webhook endpoint's secret",
  description: `The answer shows the new secret, and so does a repeat under the same \`Idempotency-Key\` while its answer is kept. The secret before signs until the overlap is over, and each earlier one until the end that its own rotation answered with. At most ${PREVIOUS_SECRETS_MAX} sign beside the newest one: a further rotation is 409 until one has ended, or with \`overlap_seconds\` 0.`,
  body: schemas.rotateSecret,
  bodyExample: { overlap_seconds: 3600 },
  responses: { 200: { description: 'The new secret signs from now on.', schema: schemas.webhook, shows: ['secret'] } },
  handle(request) {
    const { body, runtime } = request;
    const overlapMs = body.overlap_seconds === undefined ? ROTATION_OVERLAP_DEFAULT_MS : body.overlap_seconds * 1_000;
    const command = rotateSecret({
      ...changeOf(request),
      ...newSecretOf(request),
      previousSecretUntil: runtime.clock.now() + overlapMs,
    });
    return runRevealing(request, command);
  },
  replay: replayRevealing,
});

const REPLAYED = { 202: { description: 'Under way.', schema: schemas.replay } };

const recover = actionRoute(endpointApi, 'recover', {
  summary: 'Recover failed deliveries of a webhook endpoint',
  description:
    'Deliveries that failed or were canceled, of events since a moment, wait again and are sent with the backlog of the endpoint. Their retry schedule begins anew.',
  body: schemas.replayOfTime,
  bodyExample: schemas.replayExample,
  responses: REPLAYED,
  handle: (request) => runUseCase(request, recoverDeliveries, replayOf(request, request.body)),
});

const replay = actionRoute(endpointApi, 'replay_missing', {
  operation: 'replayMissingWebhookEvents',
  summary: 'Deliver events that a webhook endpoint never got',
  description:
    'Events since a moment that match its filters of now and were never written for it: because it did not exist yet, was disabled, or had other filters. Each is delivered once, however often it is asked for.',
  body: schemas.replayOfTime,
  bodyExample: schemas.replayExample,
  responses: REPLAYED,
  handle: (request) => runUseCase(request, replayMissing, replayOf(request, request.body)),
});

function replayOf(request: RouteRequest, { since, until }: { since: number; until?: number | undefined }) {
  const { params, ifMatch } = request;
  return { ...askedBy(request), endpointId: params.id!, ifMatch, since, ...(until !== undefined && { until }) };
}

const resend = route({
  method: 'post',
  path: '/v1/webhooks/:id/deliveries/:event/resend',
  operation: 'resendWebhookDelivery',
  tag: 'Webhooks',
  summary: 'Send a delivery again',
  description:
    'Whatever became of it: one that arrived is sent again under the same `webhook-id`, and one that waits for its retry is sent at once.',
  scope: 'webhooks:write',
  params: { id: 'webhookEndpoint', event: 'event' },
  responses: REPLAYED,
  errors: ['state_conflict'],
  handle(request) {
    const { params } = request;
    return runUseCase(request, resendDelivery, {
      ...askedBy(request),
      endpointId: params.id!,
      eventId: params.event!,
    });
  },
});

const deliveriesOfEndpoint: Listed<ListedDelivery> = {
  path: '/v1/webhooks/:id/deliveries',
  type: 'WebhookDelivery',
  cursor: 'event',
  declared: null,
  schema: schemas.delivery,
  view: (delivery, { livemode }) => deliveryView(delivery, livemode),
};

const deliveries = childrenRoute(endpointApi, deliveriesOfEndpoint, {
  operation: 'listWebhookDeliveries',
  summary: 'List deliveries of a webhook endpoint',
  description: 'Each with its attempts.',
  filters: { status: oneOrMore(schemas.DELIVERY_STATUSES, 'Deliveries in any of these states.') },
  rows: (db, { bookId, parentId, query, page }) =>
    listDeliveries(db, { bookId, endpointId: parentId, statuses: query.status }, page),
});

export const webhookRoutes = [
  create,
  read,
  list,
  update,
  remove,
  enable,
  disable,
  test,
  rotate,
  deliveries,
  ...routesSince('0.4.0', [resend, recover, replay]),
];
