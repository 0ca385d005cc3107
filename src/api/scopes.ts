import { ApiError } from '../errors.ts';
import { allowsScope, type Scope } from '../organisations/api-key.ts';
import type { Principal } from '../organisations/authenticate.ts';

/** Throws ApiError `permission_denied` for a key without the scope. */
export function requireScope({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): void {
  if (allowsScope(scopes, scope)) return;
  throw new ApiError('permission_denied', {
    detail: `This needs the scope ${scope}.`,
    facts: { required_scope: scope },
  });
}
