import { ApiError } from '../errors/errors.ts';
import { allowsScope, EVERY_SCOPE, type Scope } from '../organisations/api-key.ts';
import type { Principal } from '../organisations/authenticate.ts';

/** Throws ApiError `permission_denied` for a key without the scope. */
export function requireScope(
  principal: Pick<Principal, 'scopes' | 'mode' | 'madeOverApi'>,
  scope: Scope,
  orScope?: Scope,
): void {
  if (allowsScope(principal, scope) || (orScope !== undefined && allowsScope(principal, orScope))) return;
  const isNamedOnly = principal.scopes.includes(EVERY_SCOPE);
  throw new ApiError('permission_denied', {
    detail: `This needs the scope ${scope}${orScope === undefined ? '' : ` or ${orScope}`}${isNamedOnly ? `, which the ${EVERY_SCOPE} of this key does not include` : ''}.`,
    facts: { required_scope: scope },
  });
}
