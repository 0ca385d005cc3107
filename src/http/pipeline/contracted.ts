/**
 * What the version before does not know is refused until the installation is contracted: its processes may still run, and take
 * from the shared queues and rows what this version writes. Routes declare it (api/route.ts: `since`, `membersSince`).
 */
import type { Route } from '../../api/route.ts';
import type { Contracted } from '../../db/forms.ts';
import { ApiError } from '../../errors/errors.ts';
import { isEarlierVersion, VERSION } from '../../process/version.ts';
import type { JsonObject } from '../../values/json.ts';

/** A contract takes a person. */
const RETRY_AFTER_SECONDS = '60';

/** Throws ApiError `service_unavailable` for an operation of a version that the installation is not contracted to. */
export function requireContracted(
  { operation, since }: Pick<Route, 'operation' | 'since'>,
  { contractedTo }: Contracted,
): void {
  if (since === undefined || contractedTo === VERSION || !isEarlierVersion(contractedTo, since)) return;
  throw notContracted(`The operation ${operation} exists`, since);
}

/** The same for members that the body names. */
export function requireContractedMembers(
  { membersSince }: Pick<Route, 'membersSince'>,
  body: JsonObject,
  { contractedTo }: Contracted,
): void {
  if (membersSince === undefined || contractedTo === VERSION) return;
  for (const [since, pointers] of Object.entries(membersSince)) {
    if (!isEarlierVersion(contractedTo, since)) continue;
    const param = pointers.find((pointer) => isGiven(body, pointer));
    if (param !== undefined) throw notContracted(`The member ${param} exists`, since, param);
  }
}

/** Members of objects, by names that nothing has to escape. */
function isGiven(body: unknown, pointer: string): boolean {
  let value = body;
  for (const name of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
    value = (value as JsonObject)[name];
  }
  return true;
}

function notContracted(subject: string, since: string, param?: string): ApiError {
  return new ApiError('service_unavailable', {
    detail: `${subject} since release ${since}. It is refused while processes of an earlier release may run beside this one, until the operator has contracted the installation to ${since} (npm run migrate -- --contract). Nothing was done.`,
    ...(param !== undefined && { param }),
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
  });
}
