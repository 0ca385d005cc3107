import { z } from 'zod';
import { actorOf, found, isLive } from '../../api/answers.ts';
import { isIdempotencyKey, MAX_IDEMPOTENCY_KEY_LENGTH } from '../../api/request-headers.ts';
import { type RouteAnswer, type RouteRequest, route } from '../../api/route.ts';
import { formatInstant, formatInstantOrNull } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import { publicId } from '../../ids.ts';
import { type IdempotencyRecord, keyReference } from '../idempotency-key.ts';
import { idempotencyKeys } from '../idempotency-table.ts';
import { voidKey } from '../once.ts';
import { idempotencyKey } from './idempotency-key-schemas.ts';

function checkedKey(key: string): string {
  if (isIdempotencyKey(key)) return key;
  throw new ApiError('idempotency_key_invalid', {
    param: 'key',
    detail: `Expects 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters.`,
  });
}

function view(record: IdempotencyRecord, livemode: boolean) {
  const { status, resource } = record;
  return {
    object: 'idempotency_key',
    livemode,
    key: record.key,
    status: record.voidedAt !== null ? 'voided' : status! < 400 ? 'succeeded' : 'refused',
    response_status: status,
    code: status !== null && status >= 400 && record.body !== null ? (JSON.parse(record.body).code as string) : null,
    resource,
    resource_id: keyReference(record),
    request_id: publicId('request', record.requestId),
    voided_at: formatInstantOrNull(record.voidedAt),
    created_at: formatInstant(record.createdAt),
  };
}

const read = route({
  method: 'get',
  path: '/v1/idempotency_keys/:key',
  operation: 'getIdempotencyKey',
  tag: 'Idempotency',
  summary: 'Did my money move?',
  description:
    'What became of the request with this key. 404 says that none has been carried out so far; one may still be on its way. For a certain no, void the key.',
  scope: 'idempotency_keys:read',
  params: { key: 'text' },
  responses: { 200: { description: 'What the key stands for.', schema: idempotencyKey } },
  errors: ['resource_not_found', 'idempotency_key_invalid'],
  handle: (request) => answerAbout(request, request.params.key!),
});

const find = route({
  method: 'get',
  path: '/v1/idempotency_keys',
  operation: 'findIdempotencyKey',
  tag: 'Idempotency',
  summary: 'Did my money move? By any key',
  description:
    'The same as `GET /v1/idempotency_keys/{key}`, for keys that do not survive in a path: clients and proxies take `.` and `..`, also as `%2E%2E`, for steps in the path, and some decode `%2F`.',
  scope: 'idempotency_keys:read',
  query: z.strictObject({ key: z.string().meta({ description: 'The key, percent-encoded.', example: '..' }) }),
  responses: { 200: { description: 'What the key stands for.', schema: idempotencyKey } },
  errors: ['resource_not_found', 'idempotency_key_invalid'],
  handle: (request) => answerAbout(request, request.query.key),
});

async function answerAbout({ runtime, principal }: RouteRequest, key: string): Promise<RouteAnswer> {
  const record = found(await idempotencyKeys.find(runtime.pool, principal.bookId, checkedKey(key)), 'key');
  return { status: 200, json: view(record, isLive(principal)) };
}

const voidRoute = route({
  method: 'post',
  path: '/v1/idempotency_keys/:key/void',
  operation: 'voidIdempotencyKey',
  tag: 'Idempotency',
  summary: 'Make sure that a key will never do anything',
  description:
    'Either here is what the key already stands for, or it is voided for good: a request that comes later under it is refused with `idempotency_key_voided`.',
  scope: 'idempotency_keys:write',
  params: { key: 'text' },
  responses: { 200: { description: 'Voided now or before, or what it stands for.', schema: idempotencyKey } },
  errors: ['idempotency_key_invalid'],
  async handle(request) {
    const { runtime, principal, requestId } = request;
    const command = voidKey({ key: checkedKey(request.params.key!), requestId, actor: actorOf(principal) });
    const record = await runtime.committer.submit(principal.bookId, command);
    return { status: 200, json: view(record, isLive(principal)) };
  },
});

export const idempotencyRoutes = [read, find, voidRoute];
