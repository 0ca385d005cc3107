/**
 * Turns anything thrown into a problem. An unexpected error is logged with its request id and answered as
 * internal_error: no stack and no internal message reaches a client.
 */
import { classifyFailure } from '../../db/postgres-errors.ts';
import { ApiError, ERRORS } from '../../errors/errors.ts';
import { problemBody } from '../../errors/problem.ts';
import { PartyBusy } from '../../outside/calls/call-limits.ts';
import { PartyUnreachable } from '../../outside/party/party.ts';
import type { Logger } from '../../process/log.ts';
import { PROBLEM_TYPE, type RequestContext } from './request-context.ts';

/** A database takes about as long to fail over or restart, so a retry after this has a fair chance. */
const RETRY_AFTER_SECONDS = '1';

const BUSY =
  'Too many calls of this book wait for the party behind this request. It was not asked; send the request again after Retry-After.';

/** The error that the client gets. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (classifyFailure(error) === 'transient') return new ApiError('service_unavailable');
  if (error instanceof PartyBusy) return new ApiError('service_unavailable', { detail: BUSY });
  // What a use case asks may be unreachable: a simulation calls the sandbox rail.
  if (error instanceof PartyUnreachable) return new ApiError('service_unavailable');
  // Express's router refuses a path whose percent-encoding does not decode.
  if (error instanceof URIError) {
    return new ApiError('parameter_invalid', { detail: 'The path is not valid percent-encoded UTF-8.', param: 'path' });
  }
  return new ApiError('internal_error');
}

export interface FailureParts {
  readonly log: Logger;
  readonly warnUnavailable: (error: unknown) => void;
  readonly publicUrl: string;
}

/** Answers a request with the problem of an error. */
export function sendFailure(context: RequestContext, error: unknown, parts: FailureParts): void {
  const failure = asApiError(error);
  const { status } = ERRORS[failure.code];
  // An outage refuses thousands of requests a second. The access log counts them; the reason is logged only now and
  // then.
  if (status === 503) parts.warnUnavailable(error);
  else if (status >= 500) {
    parts.log.error({ err: error, request_id: context.publicRequestId, route: context.route }, 'request failed');
  }
  context.send({
    status,
    contentType: PROBLEM_TYPE,
    headers: headersOf(failure, status),
    body: problemBody({
      code: failure.code,
      detail: failure.message,
      fieldErrors: failure.fieldErrors,
      retryable: failure.retryable,
      facts: failure.facts,
      requestId: context.requestId,
      publicUrl: parts.publicUrl,
    }),
  });
}

function headersOf(failure: ApiError, status: number): string[] {
  const headers = Object.entries(failure.headers).flat();
  if (status === 503 && failure.headers['Retry-After'] === undefined) headers.push('Retry-After', RETRY_AFTER_SECONDS);
  if (status === 401) headers.push('WWW-Authenticate', 'Bearer realm="countinghouse"');
  return headers;
}
