/**
 * The one form of every error: application/problem+json (RFC 9457). Pure, and outside `http`: a refusal is rendered
 * when it is decided, and stored under its idempotency key, so that a replay gives the same bytes.
 */

import { publicId, type Uuid } from '../values/ids.ts';
import { toJson } from '../values/json.ts';
import { ERRORS, type ErrorCode, type Facts, type FieldError } from './errors.ts';

export interface ProblemInput {
  code: ErrorCode;
  detail?: string;
  /** JSON pointer (RFC 6901) into the body, or the name of a query parameter or header. */
  param?: string;
  /** All field errors; the first gives the answer its code. Left out, the problem itself is the only field error. */
  fieldErrors?: readonly FieldError[];
  /** Left out: the catalogue's value for the code. */
  retryable?: boolean | undefined;
  /** Typed facts, written beside the members of the problem; bigints with all their digits. */
  facts?: Facts;
  requestId: Uuid;
  /** The base URL of the docs: the base of `type`. */
  publicUrl: string;
}

/** Facts stand beside these members and never replace them. */
const RESERVED = new Set(['type', 'title', 'status', 'detail', 'code', 'param', 'errors', 'request_id', 'retryable']);

/** The JSON text of a problem: texts of the catalogue and of the caller, never a stack or an internal message. */
export function problemBody(problem: ProblemInput): string {
  const { code, facts = {}, requestId, publicUrl } = problem;
  const definition = ERRORS[code];
  const first = problem.fieldErrors?.[0];
  const detail = problem.detail ?? first?.detail ?? `${definition.title}.`;
  const param = problem.param ?? first?.param;
  const fieldErrors = problem.fieldErrors ?? [{ code, param, detail }];
  return toJson({
    type: `${publicUrl}/docs/errors/${code}`,
    title: definition.title,
    status: definition.status,
    detail,
    code,
    param,
    errors: fieldErrors.map((fieldError) => ({
      code: fieldError.code,
      param: fieldError.param,
      detail: fieldError.detail,
    })),
    request_id: publicId('request', requestId),
    retryable: problem.retryable ?? definition.retryable,
    ...Object.fromEntries(Object.entries(facts).filter(([name]) => !RESERVED.has(name))),
  });
}
