import { actorOf, found, isLive, runCommand, storedAnswer } from '../../api/answers.ts';
import { listQuery, oneOrMore, pageAnswer, pageRequest, readList } from '../../api/pages.ts';
import { type RouteAnswer, type RouteRequest, route } from '../../api/route.ts';
import { askedBy, runUseCase } from '../../api/run-use-case.ts';
import { event } from '../../api/schemas/events.ts';
import { listOf } from '../../api/schemas/shown.ts';
import { internalKey, type Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceAnswer } from '../../idempotency/once.ts';
import { publicId } from '../../ids.ts';
import type { Command, Refusal } from '../../ledger/command.ts';
import { deliveryView, listDeliveries } from '../delivery-list-store.ts';
import { endpointView, ROTATION_OVERLAP_DEFAULT_MS, type WebhookEndpoint } from '../endpoint.ts';
import { answerSecretPlace, type NewSecret, revealedAnswer } from '../endpoint-secret.ts';
import { getEndpoint, listEndpoints } from '../endpoint-store.ts';
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  type EndpointChange,
  enableEndpoint,
  rotateSecret,
  sendTestEvent,
} from '../manage-endpoint.ts';
import { type AllowList, parseAllowList } from '../public-address.ts';
import { requestEndpointUpdate, requireUrl } from '../request-endpoint-update.ts';
import { newSecret } from '../signature.ts';
import * as schemas from './webhook-schemas.ts';

const tag = 'Webhooks';
const params = { id: 'webhookEndpoint' } as const;
const one = { 200: { description: 'As it is now.', schema: schemas.webhook } };

/** Hosts and ports that this process allows for endpoints. */
function allowedBy({ runtime }: RouteRequest): { allow: AllowList; ports: readonly number[] } {
  const { WEBHOOK_ALLOW_HOSTS, WEBHOOK_ALLOW_PORTS } = runtime.config;
  return { allow: parseAllowList(WEBHOOK_ALLOW_HOSTS), ports: WEBHOOK_ALLOW_PORTS };
}

function changeBy({ params, principal, requestId, ifMatch }: RouteRequest): EndpointChange {
  return { endpointId: params.id!, requestId, actor: actorOf(principal), ifMatch };
}

/** Runs a command whose answer shows a secret. The stored answer holds the secret sealed. */
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

async function findEndpoint({ runtime, principal, params }: RouteRequest): Promise<WebhookEndpoint> {
  return found(await getEndpoint(runtime.pool, principal.bookId, params.id!));
}

const create = route({
  method: 'post',
  path: '/v1/webhooks',
  operation: 'createWebhookEndpoint',
  tag,
  summary: 'Subscribe to events',
  description: 'The answer shows the secret that signs deliveries: now, and never again.',
  scope: 'webhooks:write',
  body: schemas.createWebhook,
  bodyExample: schemas.createWebhookExample,
  responses: { 201: { description: 'Enabled.', schema: schemas.webhookWithSecret } },
  errors: ['webhook_url_forbidden', 'limit_exceeded'],
  handle(request) {
    const { body, principal, requestId } = request;
    requireUrl(body.url, { mode: principal.mode, ...allowedBy(request) });
    const command = createEndpoint({
      requestId,
      actor: actorOf(principal),
      url: body.url,
      events: body.events ?? ['*'],
      description: body.description ?? null,
      metadata: body.metadata ?? {},
      ...newSecretOf(request),
      ...allowedBy(request),
    });
    return runRevealing(request, command);
  },
  replay: replayRevealing,
});

const list = route({
  method: 'get',
  path: '/v1/webhooks',
  operation: 'listWebhookEndpoints',
  tag,
  summary: 'List webhook endpoints',
  scope: 'webhooks:read',
  query: listQuery('webhookEndpoint', {}),
  responses: { 200: { description: 'Newest first.', schema: listOf(schemas.webhook, 'WebhookEndpoint') } },
  async handle(request) {
    const { principal, query } = request;
    const page = await readList(request, (db) => listEndpoints(db, principal.bookId, pageRequest(query)));
    return pageAnswer(page, { query, url: '/v1/webhooks', kind: 'webhookEndpoint' }, (endpoint) =>
      endpointView(endpoint, isLive(principal)),
    );
  },
});

const read = route({
  method: 'get',
  path: '/v1/webhooks/:id',
  operation: 'getWebhookEndpoint',
  tag,
  summary: 'Read a webhook endpoint',
  scope: 'webhooks:read',
  params,
  responses: one,
  async handle(request) {
    return { status: 200, json: endpointView(await findEndpoint(request), isLive(request.principal)) };
  },
});

const update = route({
  method: 'patch',
  path: '/v1/webhooks/:id',
  operation: 'updateWebhookEndpoint',
  tag,
  summary: 'Change a webhook endpoint',
  scope: 'webhooks:write',
  params,
  ifMatch: true,
  body: schemas.updateWebhook,
  bodyExample: { events: ['payout.paid', 'payout.failed'] },
  responses: one,
  errors: ['webhook_url_forbidden'],
  handle(request) {
    const { body, params, principal, ifMatch } = request;
    return runUseCase(request, requestEndpointUpdate, {
      ...askedBy(request),
      ...allowedBy(request),
      ...body,
      mode: principal.mode,
      endpointId: params.id!,
      ifMatch,
    });
  },
});

const remove = route({
  method: 'delete',
  path: '/v1/webhooks/:id',
  operation: 'deleteWebhookEndpoint',
  tag,
  summary: 'Delete a webhook endpoint',
  scope: 'webhooks:write',
  params,
  ifMatch: true,
  responses: { 200: { description: 'Gone, with its secrets.', schema: schemas.deletedWebhook } },
  handle: (request) => runCommand(request, deleteEndpoint(changeBy(request))),
});

const enable = route({
  method: 'post',
  path: '/v1/webhooks/:id/enable',
  operation: 'enableWebhookEndpoint',
  tag,
  summary: 'Enable a webhook endpoint',
  scope: 'webhooks:write',
  params,
  ifMatch: true,
  responses: one,
  errors: ['state_conflict'],
  handle: (request) => runCommand(request, enableEndpoint(changeBy(request))),
});

const disable = route({
  method: 'post',
  path: '/v1/webhooks/:id/disable',
  operation: 'disableWebhookEndpoint',
  tag,
  summary: 'Disable a webhook endpoint',
  description:
    'Nothing is sent from now on. Deliveries that fall due meanwhile are canceled for good, and where the endpoint is behind, all that waits for it; `GET /v1/events` still has their events.',
  scope: 'webhooks:write',
  params,
  ifMatch: true,
  responses: one,
  errors: ['state_conflict'],
  handle: (request) => runCommand(request, disableEndpoint(changeBy(request))),
});

const test = route({
  method: 'post',
  path: '/v1/webhooks/:id/test',
  operation: 'testWebhookEndpoint',
  tag,
  summary: 'Send a test event',
  description: 'A `webhook.test` for this endpoint alone, whatever its filter.',
  scope: 'webhooks:write',
  params,
  responses: { 202: { description: 'On its way.', schema: event } },
  errors: ['state_conflict'],
  handle: (request) => runCommand(request, sendTestEvent(changeBy(request))),
});

const rotate = route({
  method: 'post',
  path: '/v1/webhooks/:id/rotate_secret',
  operation: 'rotateWebhookSecret',
  tag,
  summary: 'Give a webhook endpoint a new secret',
  description: 'Both secrets sign until the overlap is over.',
  scope: 'webhooks:write',
  params,
  ifMatch: true,
  body: schemas.rotateSecret,
  bodyExample: { overlap_seconds: 3600 },
  responses: { 200: { description: 'With the new secret: now, and never again.', schema: schemas.webhookWithSecret } },
  errors: ['state_conflict'],
  handle(request) {
    const { body, runtime } = request;
    const overlapMs = body.overlap_seconds === undefined ? ROTATION_OVERLAP_DEFAULT_MS : body.overlap_seconds * 1_000;
    const command = rotateSecret({
      ...changeBy(request),
      ...newSecretOf(request),
      previousSecretUntil: runtime.clock.now() + overlapMs,
    });
    return runRevealing(request, command);
  },
  replay: replayRevealing,
});

const deliveries = route({
  method: 'get',
  path: '/v1/webhooks/:id/deliveries',
  operation: 'listWebhookDeliveries',
  tag,
  summary: 'List deliveries of a webhook endpoint, with every try',
  scope: 'webhooks:read',
  params,
  query: listQuery('event', { status: oneOrMore(schemas.DELIVERY_STATUSES, 'Deliveries in any of these states.') }),
  responses: { 200: { description: 'Newest first.', schema: listOf(schemas.delivery, 'WebhookDelivery') } },
  async handle(request) {
    const { principal, query } = request;
    const endpoint = await findEndpoint(request);
    const filter = { bookId: principal.bookId, endpointId: endpoint.id, statuses: query.status };
    const page = await readList(request, (db) => listDeliveries(db, filter, pageRequest(query)));
    const url = `/v1/webhooks/${publicId('webhookEndpoint', endpoint.id)}/deliveries`;
    return pageAnswer(page, { query, url, kind: 'event' }, (delivery) => deliveryView(delivery, isLive(principal)));
  },
});

export const webhookRoutes = [create, read, list, update, remove, enable, disable, test, rotate, deliveries];
