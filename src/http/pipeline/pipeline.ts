/**
 * Handles every API request in one function, so that a step costs a call and not a pass through a middleware chain:
 * authentication, rate limit, scope, body, then all field errors of body, query and headers at once, then the use case,
 * then the answer.
 */
import type { Request } from 'express';
import { storedAnswer } from '../../api/answers.ts';
import type { ApiRuntime } from '../../api/api-runtime.ts';
import { fingerprintOf, idempotencyKeyFault, isIdempotencyKey, readIfMatch } from '../../api/request-headers.ts';
import { isWrite, type Route, type RouteAnswer, type RouteRequest } from '../../api/route.ts';
import { emptyBody, emptyQuery } from '../../api/schemas/empty.ts';
import { idExpected, isVersionNumber } from '../../api/schemas/fields.ts';
import { requireScope } from '../../api/scopes.ts';
import type { Upload, UploadKind } from '../../api/upload.ts';
import { classifyFailure } from '../../db/postgres-errors.ts';
import { ApiError, ERRORS } from '../../errors/errors.ts';
import { findFirstAnswer } from '../../idempotency/find-first-answer.ts';
import type { Fingerprints } from '../../idempotency/fingerprints.ts';
import { messageKey } from '../../idempotency/idempotency-key.ts';
import type { Principal } from '../../organisations/authenticate.ts';
import { type IdKind, parsePublicId, publicId } from '../../values/ids.ts';
import { type JsonObject, toJson } from '../../values/json.ts';
import { withoutAbsentMembers } from '../input/absent-members.ts';
import { type FieldErrorWithFacts, fieldErrorsOf, requireNoFieldErrors } from '../input/field-errors.ts';
import { parseBody, parseLeniently } from '../input/json-body.ts';
import { jsonPointer } from '../input/json-pointer.ts';
import { parameterName, parseQuery } from '../input/query-string.ts';
import { readBody } from '../input/request-body.ts';
import { openUpload, UPLOAD_BUFFERED_BYTES } from '../input/upload.ts';
import {
  type Allowance,
  bucketOf,
  limitOf,
  POINTS,
  type Policy,
  rateLimited,
  rateLimitHeaders,
} from '../limits/rate-limiter.ts';
import { requireContracted, requireContractedMembers } from './contracted.ts';
import { awaitedAnswer, preferenceOf } from './prefer-wait.ts';
import { PROBLEM_TYPE, type RequestContext } from './request-context.ts';
import { retirementHeaders } from './retirement.ts';
import type { ApiServices } from './services.ts';

export interface PipelineParts {
  runtime: ApiRuntime;
  services: ApiServices;
}

/** Handles one request of a route. Rejects with the error that refuses it. */
export async function serve(route: Route, request: Request, parts: PipelineParts): Promise<void> {
  const { services } = parts;
  const { context } = request;
  const writes = isWrite(route);
  context.route = route.path;
  if (route.retires) context.retirement = retirementHeaders(route.retires, parts.runtime.publicUrl);
  requireOneAuthorization(request);
  const principal = await services.gate.authenticate(request.headers.authorization, context.address);
  context.principal = principal;
  const policy = policyOf(route);
  const taken = takePoints(context, policy, POINTS.request, parts);
  if (taken !== undefined) await taken;
  context.enter(services.inFlight.usageOf(principal.bookId));
  requireContracted(route, parts.runtime.forms);
  requireRights(route, principal, request.params);
  const params = readParams(route, request.params as Record<string, string>);

  const opened = route.uploads ? beginUpload(request, { kind: route.uploads, policy, parts }) : undefined;
  const rawBody =
    takesBody(route) && opened === undefined
      ? await readBody(request, (bytes) => payForBody(context, policy, bytes, parts))
      : '';
  const { seconds: waitSeconds, applied } = preferenceOf(route, request);
  const given: Given = {
    params,
    body: undefined,
    query: undefined,
    version: undefined,
    fingerprint: undefined,
    upload: opened?.upload,
    waitSeconds,
  };
  let answer: RouteAnswer;
  try {
    const idempotencyKey = check(route, request, rawBody, { given, runtime: parts.runtime });
    const filters = route.uploads ? 0 : metadataFilters(given.query);
    if (filters > 0) await takePoints(context, policy, filters * POINTS.metadataFilter, parts);
    answer = await route.handle(routeRequest(request, given, idempotencyKey, parts));
  } catch (error) {
    const first =
      writes && opened === undefined && isFaultOfForm(error)
        ? await firstAnswer(route, request, rawBody, given, parts)
        : undefined;
    if (first === undefined) throw error;
    answer = first;
  } finally {
    opened?.end();
  }
  if (waitSeconds !== undefined)
    answer = await awaitedAnswer(route, request, answer, { seconds: waitSeconds, waiters: services });
  if (!writes) context.carry(0);
  if (answer.file !== undefined) await context.sendFile(answer.file, answer);
  else sendAnswer(context, answer, { applied, runtime: parts.runtime });
}

/** Counts as in flight with what is buffered of it, and takes a point for each full 64 kB. */
function beginUpload(
  request: Request,
  { kind, policy, parts }: { readonly kind: UploadKind; readonly policy: Policy; readonly parts: PipelineParts },
): { readonly upload: Upload; readonly end: () => void } {
  const { context } = request;
  let bytes = 0;
  const pay = (more: number) => {
    const before = Math.floor(bytes / POINTS.bodyBytes);
    bytes += more;
    const points = Math.floor(bytes / POINTS.bodyBytes) - before;
    return points === 0 ? undefined : takePoints(context, policy, points, parts);
  };
  const upload = openUpload(request, kind, pay);
  const end = parts.services.uploads.begin(context.principal!.bookId);
  try {
    context.carry(UPLOAD_BUFFERED_BYTES);
  } catch (error) {
    end();
    throw error;
  }
  return { upload, end };
}

function policyOf(route: Route): Policy {
  if (route.isMessage) return 'messages';
  if (route.isLookup) return 'lookups';
  return isWrite(route) ? 'writes' : 'reads';
}

/** The parts of a request that have been checked so far. */
interface Given {
  params: Record<string, string>;
  /** The validated body, as the route's schema returns it. */
  body: unknown;
  query: unknown;
  version: number | undefined;
  fingerprint: (() => Buffer) | undefined;
  upload: Upload | undefined;
  waitSeconds: number | undefined;
}

type Checked = { given: Given } & Pick<PipelineParts, 'runtime'>;

/** Checks body, query and headers, and returns the idempotency key. Throws ApiError with all field errors at once. */
function check(route: Route, request: Request, rawBody: string, { given, runtime }: Checked): string | null {
  const { headers } = request;
  const fieldErrors: FieldErrorWithFacts[] = [];
  const body: JsonObject = rawBody === '' ? {} : parseBody(rawBody, fieldErrors, route.bodyMembers);
  const schema = route.uploads ? emptyBody : (route.body ?? emptyBody);
  // A text without `null` has no absent members: most bodies need no walk.
  const mayHaveAbsent = route.method === 'post' && rawBody.includes('null');
  const present = mayHaveAbsent ? withoutAbsentMembers(schema, body) : body;
  given.body = validate(schema, present, jsonPointer, fieldErrors);
  given.query = readQuery(route, request.url, fieldErrors);
  const { version, fieldError: versionError } = route.ifMatch ? readIfMatch(headers['if-match']) : NO_VERSION;
  given.version = version;
  if (versionError) fieldErrors.push(versionError);
  if (!isWrite(route)) {
    requireNoFieldErrors(fieldErrors);
    return null;
  }
  const idempotencyKey = route.isMessage ? undefined : (headers['idempotency-key'] as string | undefined);
  const dryRun = (given.query as { dry_run?: boolean } | undefined)?.dry_run === true;
  const keyError = idempotencyKeyFault(idempotencyKey, route.idempotency === 'required' && !dryRun);
  if (keyError) fieldErrors.push(keyError);
  requireNoFieldErrors(fieldErrors);
  requireContractedMembers(route, present, runtime.forms);
  given.fingerprint = () => requestFingerprint(route, request, { body, fingerprints: runtime.fingerprints });
  return idempotencyKey ?? null;
}

const NO_VERSION: ReturnType<typeof readIfMatch> = {};

function routeRequest(
  request: Request,
  { params, body, query, version, fingerprint, upload, waitSeconds }: Given,
  idempotencyKey: string | null,
  { runtime, services }: PipelineParts,
): RouteRequest {
  const { context } = request;
  return {
    runtime,
    services,
    principal: context.principal!,
    header: (name) => request.headers[name] as string | undefined,
    clientAddress: context.address,
    requestId: context.requestId,
    params,
    body,
    query,
    idempotencyKey,
    fingerprint: fingerprint!,
    upload,
    ifMatch: version,
    waitSeconds,
  };
}

function isFaultOfForm(error: unknown): boolean {
  return error instanceof ApiError && ERRORS[error.code].status === 400;
}

/**
 * The first answer to a request that an earlier version accepted under the same key; undefined without one. Called only
 * when the request is about to be refused. Rejects while the database is unavailable, so that no accepted request is
 * reported as refused.
 */
async function firstAnswer(
  route: Route,
  request: Request,
  rawBody: string,
  given: Given,
  parts: PipelineParts,
): Promise<RouteAnswer | undefined> {
  const { runtime } = parts;
  const { context } = request;
  const key = keyOf(route, request, rawBody);
  if (key === undefined || isDryRun(request.url)) return undefined;
  const fingerprint = () => {
    const body = rawBody === '' ? {} : parseLeniently(rawBody);
    return body && requestFingerprint(route, request, { body, fingerprints: runtime.fingerprints });
  };
  try {
    const { bookId } = context.principal!;
    const answer = await findFirstAnswer(runtime, { bookId, key, fingerprint, requestId: context.requestId });
    if (answer === undefined) return undefined;
    return route.replay?.(routeRequest(request, given, key, parts), answer) ?? storedAnswer(answer);
  } catch (error) {
    if (classifyFailure(error) === 'transient') throw error;
    runtime.log.error({ err: error, request_id: context.publicRequestId }, 'first answer not looked up');
    return undefined;
  }
}

/** The key that the request's first answer may be kept under: the caller's, or that of the message. */
function keyOf(route: Route, { headers }: Request, rawBody: string): string | undefined {
  if (!route.isMessage) {
    const key = headers['idempotency-key'] as string | undefined;
    return key !== undefined && isIdempotencyKey(key) ? key : undefined;
  }
  const { message_reference: reference } = parseLeniently(rawBody) ?? {};
  return typeof reference === 'string' ? messageKey(reference) : undefined;
}

function isDryRun(target: string): boolean {
  return parseQuery(target).query.dry_run === 'true';
}

/** Node keeps the first of several Authorization headers; a proxy in front may keep another and see another key. */
function requireOneAuthorization({ rawHeaders }: Request): void {
  let given = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) given++;
  }
  if (given > 1) {
    throw new ApiError('parameter_invalid', {
      param: 'Authorization',
      detail: 'Authorization is given more than once; send one API key.',
    });
  }
}

const AUTHORIZATION = 'authorization';

function takesBody({ method }: Route): boolean {
  return method === 'post' || method === 'patch';
}

/** Counts the bytes of a body before they are read: as bytes in flight, and as one point for each full 64 kB. */
function payForBody(
  context: RequestContext,
  policy: Policy,
  bytes: number,
  parts: PipelineParts,
): void | Promise<void> {
  const before = context.bytesInFlight;
  context.carry(bytes);
  const points = Math.floor(context.bytesInFlight / POINTS.bodyBytes) - Math.floor(before / POINTS.bodyBytes);
  return points === 0 ? undefined : takePoints(context, policy, points, parts);
}

function metadataFilters(query: unknown): number {
  const metadata = (query as { metadata?: object } | undefined)?.metadata;
  return metadata === undefined ? 0 : Object.keys(metadata).length;
}

/**
 * Takes points from the limit of the key or the book. A request takes at most the whole limit, so that the most
 * expensive request still passes in a second with no other. Throws ApiError rate_limited, or returns a promise that
 * rejects with it while the counter is asked.
 */
function takePoints(
  context: RequestContext,
  policy: Policy,
  wanted: number,
  { runtime, services }: PipelineParts,
): void | Promise<void> {
  const principal = context.principal!;
  const limit = limitOf(policy, principal, runtime.config);
  const points = Math.min(wanted, limit - context.points);
  if (points <= 0) return;
  context.points += points;
  const taken = services.limiter.take(bucketOf(policy, principal), limit, points);
  if (taken instanceof Promise) return taken.then((allowance) => requireAllowed(context, policy, limit, allowance));
  requireAllowed(context, policy, limit, taken);
}

function requireAllowed(context: RequestContext, policy: Policy, limit: number, allowance: Allowance): void {
  const headers = rateLimitHeaders(policy, limit, allowance);
  context.rateLimit = headers.rateLimit;
  context.rateLimitPolicy = headers.policy;
  if (!allowance.allowed) throw rateLimited(policy, limit, allowance);
}

function requireRights(route: Route, principal: Principal, { id }: Request['params']): void {
  const isItself = route.itselfWithoutScope && id === publicId('apiKey', principal.keyId);
  if (route.testModeOnly && principal.mode !== 'test') throw new ApiError('test_mode_only');
  if (route.scope !== null && !isItself) requireScope(principal, route.scope, route.orScope);
}

/**
 * Path parameters, with ids as UUIDs. A text that is no id of the kind names no object: the answer states the expected
 * form.
 */
function readParams(route: Route, given: Record<string, string>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, kind] of Object.entries(route.params ?? {})) {
    const text = given[name]!;
    const isAsGiven = kind === 'text' || (name === route.numbered && isVersionNumber(text));
    const value = isAsGiven ? text : parsePublicId(kind as IdKind, text);
    if (value === undefined)
      throw new ApiError('resource_not_found', { param: name, detail: idExpected(kind as IdKind) });
    params[name] = value;
  }
  return params;
}

function readQuery(route: Route, target: string, fieldErrors: FieldErrorWithFacts[]): unknown {
  const { query, fieldErrors: unreadable } = parseQuery(target);
  fieldErrors.push(...unreadable);
  return validate(route.query ?? emptyQuery, query, parameterName, fieldErrors, true);
}

function validate(
  schema: NonNullable<Route['body']>,
  input: unknown,
  nameOf: (path: readonly PropertyKey[]) => string,
  fieldErrors: FieldErrorWithFacts[],
  isQuery = false,
): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  fieldErrors.push(...fieldErrorsOf(result.error, { schema, input, isQuery }, nameOf));
  return undefined;
}

/**
 * The fingerprint of a request, which its Idempotency-Key stands for. A route whose body has secrets declares how it is
 * digested: none of them may be in a digest from which it can be guessed.
 */
function requestFingerprint(
  route: Route,
  { method, path }: Pick<Request, 'method' | 'path'>,
  { body, fingerprints }: { body: unknown; fingerprints: Fingerprints },
): Buffer {
  const digested = route.fingerprinted ? route.fingerprinted(body, fingerprints.digestOf) : body;
  return fingerprintOf({ method, path, body: digested });
}

/** Sends an answer with its headers. `applied` is the preference that was honored. */
function sendAnswer(
  context: RequestContext,
  answer: RouteAnswer,
  { applied, runtime }: { applied: string | undefined; runtime: ApiRuntime },
): void {
  const headers = answer.headers ? [...answer.headers] : [];
  if (answer.replayed) headers.push('Idempotent-Replayed', 'true');
  if (applied !== undefined) headers.push('Preference-Applied', applied);
  const text = answer.text ?? (answer.json === undefined ? '' : toJson(answer.json));
  context.send({
    status: answer.status,
    body: runtime.withLinks(context.principal!.bookId, text, runtime.publicUrl),
    contentType: answer.status >= 400 ? PROBLEM_TYPE : undefined,
    headers,
  });
}
