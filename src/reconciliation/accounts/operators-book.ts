import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Principal } from '../../organisations/authenticate.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';

/** Whether a key opens a book of the operator's. */
export async function isOperatorsBook(
  db: Queryable,
  { bookId, mode }: Pick<Principal, 'bookId' | 'mode'>,
): Promise<boolean> {
  return (await operatorBooks(db))[mode] === bookId;
}

/** Money at banks stands in the operator's books alone. Throws ApiError `permission_denied` for another one. */
export function requireOperatorsBook(isOperators: boolean): void {
  if (isOperators) return;
  throw new ApiError('permission_denied', {
    detail: "Bank accounts stand in the operator's books. Use a key that `npm run keys -- create --operator` made.",
  });
}

/** Four eyes are those of two people, and whose a service's key is unknown. Throws ApiError `permission_denied`. */
export function requirePersonsKey({ ownerKind }: Pick<Principal, 'ownerKind'>): void {
  if (ownerKind === 'person') return;
  throw new ApiError('permission_denied', {
    detail: 'Only a person does this, and the key belongs to a service. Use a key that belongs to a person.',
  });
}
