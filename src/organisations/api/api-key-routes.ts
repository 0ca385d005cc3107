import { actorOf, found, runCommand, storedAnswer } from '../../api/answers.ts';
import { apiOf } from '../../api/api-resource.ts';
import { listRoute, readRoute } from '../../api/read-routes.ts';
import { type RouteAnswer, type RouteRequest, routesSince } from '../../api/route.ts';
import { actionRoute, createRoute } from '../../api/write-routes.ts';
import { ApiError } from '../../errors/errors.ts';
import { answerSecretPlace, revealedAnswer } from '../../idempotency/answer-secret.ts';
import { internalKey, type Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceAnswer } from '../../idempotency/once.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { ID_PREFIXES, publicId } from '../../values/ids.ts';
import { allowsScope, MAKES_KEYS, parseAllowedIps } from '../api-key.ts';
import { apiKeyResource } from '../api-key-resource.ts';
import { apiKeys } from '../api-key-table.ts';
import { createApiKey, revokeApiKey, rollApiKey } from '../change-api-key.ts';
import * as schemas from './api-key-schemas.ts';

export const apiKeyApi = apiOf(apiKeyResource, {
  path: '/v1/api_keys',
  tag: 'Keys',
  type: 'ApiKey',
  names: { types: 'ApiKeys', one: 'an API key', many: 'API keys' },
  schema: schemas.apiKey,
  scopes: { read: 'api_keys:read', write: MAKES_KEYS },
});

function askedBy({ principal, runtime, requestId, idempotencyKey }: RouteRequest) {
  const { bookId, organisationId, mode, keyId } = principal;
  const { RATE_LIMIT_WRITES_PER_SECOND, RATE_LIMIT_READS_PER_SECOND } = runtime.config;
  return {
    requestId,
    actor: actorOf(principal),
    bookId,
    organisationId,
    mode,
    giver: {
      keyId,
      rates: { writesPerSecond: RATE_LIMIT_WRITES_PER_SECOND, readsPerSecond: RATE_LIMIT_READS_PER_SECOND },
    },
    idempotencyKey,
    secretBox: runtime.secretBox,
  };
}

/** Runs a command whose answer shows a secret. The stored answer has the secret sealed. */
async function runRevealing(request: RouteRequest, command: Command<Stored | Refusal>): Promise<RouteAnswer> {
  const answer = await runCommand(request, command);
  return revealed(request, answer, request.idempotencyKey ?? internalKey(command.id));
}

/** Throws ApiError where a first answer is asked for again by a key that would not have been given it. */
function revealed(request: RouteRequest, answer: RouteAnswer, key: string): RouteAnswer {
  const { runtime, principal } = request;
  if (answer.replayed && answer.status < 300) requireMaySee(request, JSON.parse(answer.text!) as ShownKey);
  return { ...answer, text: revealedAnswer(answer.text!, runtime.secretBox, answerSecretPlace(principal.bookId, key)) };
}

interface ShownKey {
  readonly owner: string | null;
  readonly made_over_api: boolean;
}

/**
 * An idempotency key is of the book, and not of an API key. The answer to a creation may be seen by a key that makes keys. So may the
 * successor of a service's key that was made over the API; any other successor only by its owner.
 */
function requireMaySee({ principal, params }: RouteRequest, { owner, made_over_api }: ShownKey): void {
  if (owner === publicId(principal.ownerKind, principal.ownerId)) return;
  const isSuccessor = params.id !== undefined;
  const isMakers = !isSuccessor || (made_over_api && !owner?.startsWith(ID_PREFIXES.person));
  if (isMakers && allowsScope(principal, MAKES_KEYS)) return;
  throw new ApiError('permission_denied', { detail: 'This answer shows the secret of a key of somebody else.' });
}

function replayRevealing(request: RouteRequest, answer: OnceAnswer): RouteAnswer {
  return revealed(request, storedAnswer(answer), request.idempotencyKey!);
}

const create = createRoute(apiKeyApi, {
  summary: 'Create an API key',
  description:
    'For a person or a service of the organisation. A key gives no scope, address, rate or time beyond its own; what is left out is as it has it. `api_keys:write`, what decides (`…:approve`, `payouts:policy`) and in live mode what `*` does not include are given by the operator alone. The answer shows the key; a repeat under the same `Idempotency-Key` shows it again while its answer is kept, and nothing else does.',
  body: schemas.createApiKey,
  bodyExample: schemas.createApiKeyExample,
  responses: { 201: { description: 'It opens the book.', schema: schemas.apiKey, shows: ['secret'] } },
  errors: ['resource_not_found'],
  handle(request) {
    const { body } = request;
    const command = createApiKey({
      ...askedBy(request),
      name: body.name,
      personId: body.person,
      scopes: body.scopes,
      allowedIps: body.allowed_ips && parseAllowedIps(body.allowed_ips),
      writesPerSecond: body.writes_per_second,
      readsPerSecond: body.reads_per_second,
      expiresAt: body.expires_at,
    });
    return runRevealing(request, command);
  },
  replay: replayRevealing,
});

const list = listRoute(apiKeyApi, {
  description: 'Ended ones too.',
  filters: {},
  rows: (db, { bookId, page }) => listRows(db, { table: apiKeys }, { bookId, page }),
});

const read = readRoute(apiKeyApi);

const roll = actionRoute(apiKeyApi, 'roll', {
  summary: 'Roll an API key',
  description:
    'The answer is a successor with the same rights and owner, and shows it once, as creating does. The old key goes on for the overlap. A key may roll itself without a scope; that of a person is rolled by a key of that person, and any other by one that has all of its rights.',
  itselfWithoutScope: true,
  body: schemas.rollApiKey,
  bodyExample: { overlap_seconds: 3600 },
  responses: { 200: { description: 'The successor.', schema: schemas.apiKey, shows: ['secret'] } },
  async handle(request) {
    const { body, params, ifMatch, runtime, principal } = request;
    const { ownerId } = found(await apiKeys.find(runtime.pool, principal.bookId, params.id!));
    const overlapMs = (body.overlap_seconds ?? schemas.OVERLAP_DEFAULT_SECONDS) * 1_000;
    const command = rollApiKey({ ...askedBy(request), id: params.id!, ifMatch, ownerId, overlapMs });
    return runRevealing(request, command);
  },
  replay: replayRevealing,
});

const revoke = actionRoute(apiKeyApi, 'revoke', {
  summary: 'Revoke an API key',
  description: 'Every process refuses it within a second. A key may revoke itself without a scope.',
  itselfWithoutScope: true,
  handle(request) {
    const { params, ifMatch } = request;
    return runCommand(request, revokeApiKey({ ...askedBy(request), id: params.id!, ifMatch }));
  },
});

export const apiKeyRoutes = routesSince('0.4.0', [create, list, read, roll, revoke]);
