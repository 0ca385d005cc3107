/**
 * Statuses whose answers are never stored under an idempotency key: they are not about the request itself (but its
 * form, its caller, its rate, a header, our own fault), so a repetition gets a new answer.
 */
export const NEVER_KEPT = [400, 401, 403, 412, 429, 500, 503] as const;

export function isKept(status: number): boolean {
  return status >= 200 && status < 500 && !NEVER_KEPT.some((never) => never === status);
}
