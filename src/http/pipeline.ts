/**
 * The way of every API request, in one function so that each step costs a call and not a turn of a middleware chain:
 * key, limit, scope, body, then all faults of body, query and headers at once, then the use case, then the answer.
 */
import type { Request } from 'express';
import { ApiError } from '../errors.ts';
import { type IdKind, parsePublicId } from '../ids.ts';
import { type JsonObject, toJson } from '../json.ts';
import { allowsScope } from '../organisations/api-key.ts';
import type { Principal } from '../organisations/authenticate.ts';
import type { ApiRuntime } from './api-runtime.ts';
import { type Exchange, PROBLEM_TYPE } from './exchange.ts';
import { type FactualFault, faultsOf, requireFaultless } from './faults.ts';
import { parseBody } from './json-body.ts';
import { jsonPointer } from './json-pointer.ts';
import { parameterName, parseQuery } from './query-string.ts';
import { bucketOf, limitOf, type Policy, rateLimited, rateLimitHeaders } from './rate-limiter.ts';
import { readBody } from './request-body.ts';
import { fingerprintOf, idempotencyKeyFault, readIfMatch, readWait } from './request-headers.ts';
import type { Route, RouteAnswer } from './route.ts';
import { emptyBody, emptyQuery } from './schemas/empty.ts';
import type { ApiServices } from './services.ts';

export interface PipelineContext {
  runtime: ApiRuntime;
  services: ApiServices;
}

/** Carries one request through a route; rejects with whatever refuses it. */
export async function serve(route: Route, request: Request, context: PipelineContext): Promise<void> {
  const { runtime, services } = context;
  const { exchange } = request;
  const writes = route.method !== 'get';
  exchange.route = route.path;
  const principal = await services.gate.authenticate(request.headers.authorization, exchange.address);
  exchange.principal = principal;
  await takeFromLimit(exchange, principal, writes ? 'writes' : 'reads', context);
  requireScope(route, principal);
  const params = readParams(route, request.params as Record<string, string>);

  const rawBody = route.method === 'post' || route.method === 'patch' ? await readBody(request) : '';
  const faults: FactualFault[] = [];
  const body: JsonObject = rawBody === '' ? {} : parseBody(rawBody, faults);
  const validBody = route.plainBody?.(body) ?? validate(route.body ?? emptyBody, body, jsonPointer, faults);
  const validQuery = readQuery(route, request.url, faults);
  const { headers } = request;
  const idempotencyKey = headers['idempotency-key'] as string | undefined;
  const { version, fault: versionFault } = route.ifMatch ? readIfMatch(headers['if-match']) : {};
  if (versionFault) faults.push(versionFault);
  const dryRun = (validQuery as { dry_run?: boolean } | undefined)?.dry_run === true;
  const keyFault = writes
    ? idempotencyKeyFault(idempotencyKey, route.idempotency === 'required' && !dryRun)
    : undefined;
  if (keyFault) faults.push(keyFault);
  requireFaultless(faults);

  const waitSeconds = route.prefersWait ? readWait(headers.prefer) : undefined;
  const answer = await route.handle({
    runtime,
    services,
    principal,
    requestId: exchange.requestId,
    params,
    body: validBody,
    query: validQuery,
    idempotencyKey: (writes ? idempotencyKey : undefined) ?? null,
    fingerprint: () => fingerprintOf({ method: request.method, path: request.path, body }),
    ifMatch: version,
    waitSeconds,
    disconnected: () => abortedOnClose(request),
  });
  sendAnswer(exchange, answer, waitSeconds);
}

async function takeFromLimit(
  exchange: Exchange,
  principal: Principal,
  policy: Policy,
  context: PipelineContext,
): Promise<void> {
  const limit = limitOf(policy, principal, context.runtime.config);
  const taken = context.services.limiter.take(bucketOf(policy, principal), limit);
  const allowance = taken instanceof Promise ? await taken : taken;
  const headers = rateLimitHeaders(policy, limit, allowance);
  exchange.rateLimit = headers.rateLimit;
  exchange.rateLimitPolicy = headers.policy;
  if (!allowance.allowed) throw rateLimited(policy, limit, allowance);
}

function requireScope(route: Route, principal: Principal): void {
  if (route.scope !== null && !allowsScope(principal.scopes, route.scope)) {
    throw new ApiError('permission_denied', {
      detail: `This needs the scope ${route.scope}.`,
      facts: { required: route.scope },
    });
  }
  if (route.testModeOnly && principal.mode !== 'test') throw new ApiError('test_mode_only');
}

/** Ids as UUIDs. What is no id of the kind is an object that does not exist. */
function readParams(route: Route, given: Record<string, string>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, kind] of Object.entries(route.params ?? {})) {
    const text = given[name]!;
    const value = kind === 'text' ? text : parsePublicId(kind as IdKind, text);
    if (value === undefined) throw new ApiError('resource_not_found', { param: name });
    params[name] = value;
  }
  return params;
}

function readQuery(route: Route, target: string, faults: FactualFault[]): unknown {
  const { query, faults: unreadable } = parseQuery(target);
  faults.push(...unreadable);
  return validate(route.query ?? emptyQuery, query, parameterName, faults);
}

function validate(
  schema: NonNullable<Route['body']>,
  input: unknown,
  nameOf: (path: readonly PropertyKey[]) => string,
  faults: FactualFault[],
): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  faults.push(...faultsOf(result.error, input, nameOf));
  return undefined;
}

function abortedOnClose(request: Request): AbortSignal {
  const controller = new AbortController();
  if (request.socket.destroyed) controller.abort();
  else request.res?.once('close', () => controller.abort());
  return controller.signal;
}

function sendAnswer(exchange: Exchange, answer: RouteAnswer, waitSeconds: number | undefined): void {
  const headers = answer.headers ? [...answer.headers] : [];
  if (answer.replayed) headers.push('Idempotent-Replayed', 'true');
  if (waitSeconds !== undefined) headers.push('Preference-Applied', `wait=${waitSeconds}`);
  exchange.send({
    status: answer.status,
    body: answer.text ?? (answer.json === undefined ? '' : toJson(answer.json)),
    contentType: answer.status >= 400 ? PROBLEM_TYPE : undefined,
    headers,
  });
}
