/**
 * From anything thrown to a problem. What we did not expect is logged with its request id and told as internal_error:
 * no stack and no message of our own code ever reaches a client.
 */
import { classifyFailure } from '../db/postgres-errors.ts';
import { ApiError, ERRORS } from '../errors.ts';
import type { Logger } from '../log.ts';
import { problemBody } from '../problem.ts';
import { RailUnreachable } from '../rails/rail.ts';
import { PROBLEM_TYPE, type RequestContext } from './request-context.ts';

/** After so many seconds a repeated request has a fair chance: a database that fails over or restarts takes about as long. */
const RETRY_AFTER_SECONDS = '1';

/** The error an integrator is told of. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (classifyFailure(error) === 'transient') return new ApiError('service_unavailable');
  // A simulation speaks to the sandbox rail directly, which may be as unreachable as any.
  if (error instanceof RailUnreachable) return new ApiError('service_unavailable');
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

/** Answers an context with the problem that an error amounts to. */
export function sendFailure(context: RequestContext, error: unknown, parts: FailureParts): void {
  const failure = asApiError(error);
  const { status } = ERRORS[failure.code];
  // An outage refuses thousands of requests a second: the access log counts them, the reason is said now and then.
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
