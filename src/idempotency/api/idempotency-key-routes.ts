import { z } from 'zod';
import { actorOf, found, isLive, runCommand } from '../../api/answers.ts';
import { isIdempotencyKey, MAX_IDEMPOTENCY_KEY_LENGTH } from '../../api/request-headers.ts';
import { type RouteAnswer, type RouteRequest, route } from '../../api/route.ts';
import { refusedBy } from '../../api/schemas/refusal-codes.ts';
import { ApiError } from '../../errors/errors.ts';
import { CARD_NUMBER_REFUSED, hasCardNumber } from '../../values/card-number.ts';
import { idempotencyKeyView } from '../idempotency-key-view.ts';
import { idempotencyKeys } from '../idempotency-table.ts';
import { voidKey } from '../once.ts';
import { idempotencyKey } from './idempotency-key-schemas.ts';

function checkedKey(key: string): string {
  if (!isIdempotencyKey(key))
    throw new ApiError('idempotency_key_invalid', {
      param: 'key',
      detail: `Expects 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters.`,
    });
  if (hasCardNumber(key)) throw new ApiError('card_number_not_allowed', { param: 'key', detail: CARD_NUMBER_REFUSED });
  return key;
}

const read = route({
  method: 'get',
  path: '/v1/idempotency_keys/:key',
  operation: 'getIdempotencyKey',
  tag: 'Idempotency',
  summary: 'Retrieve an idempotency key',
  description:
    'Did my money move? What became of the request with this key. 404 says that none has been carried out so far; one may still be on its way. For a certain no, void the key.',
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
  summary: 'Retrieve an idempotency key by query',
  description:
    'The same as `GET /v1/idempotency_keys/{key}`, for keys that do not survive in a path: clients and proxies take `.` and `..`, also as `%2E%2E`, for steps in the path, and some decode `%2F`.',
  scope: 'idempotency_keys:read',
  query: z.strictObject({
    key: refusedBy(
      z.string().meta({ pattern: '^[!-~]{1,255}$', description: 'The key.', example: 'order-1041' }),
      'card_number_not_allowed',
    ),
  }),
  responses: { 200: { description: 'What the key stands for.', schema: idempotencyKey } },
  errors: ['resource_not_found', 'idempotency_key_invalid'],
  handle: (request) => answerAbout(request, request.query.key),
});

const KEY_UNKNOWN =
  'Nothing has been done under this key so far. A request with it may still be on its way: void the key to be certain.';

async function answerAbout({ runtime, principal }: RouteRequest, key: string): Promise<RouteAnswer> {
  const known = await idempotencyKeys.find(runtime.pool, principal.bookId, checkedKey(key));
  const record = found(known, 'key', KEY_UNKNOWN);
  return { status: 200, json: idempotencyKeyView(record, isLive(principal)) };
}

const voidRoute = route({
  method: 'post',
  path: '/v1/idempotency_keys/:key/void',
  operation: 'voidIdempotencyKey',
  tag: 'Idempotency',
  summary: 'Void an idempotency key',
  description:
    'Makes sure that a key will never do anything. Either here is what the key already stands for, or it is voided for good: a request that comes later under it is refused with `idempotency_key_voided`.',
  scope: 'idempotency_keys:write',
  params: { key: 'text' },
  responses: { 200: { description: 'Voided now or before, or what it stands for.', schema: idempotencyKey } },
  errors: ['idempotency_key_invalid'],
  handle(request) {
    const { principal, requestId, idempotencyKey } = request;
    const key = checkedKey(request.params.key!);
    if (key === idempotencyKey)
      throw new ApiError('parameter_invalid', {
        param: 'Idempotency-Key',
        detail: 'Expects another key than the one to void.',
      });
    return runCommand(request, voidKey({ key, requestId, actor: actorOf(principal) }));
  },
});

export const idempotencyRoutes = [read, find, voidRoute];
