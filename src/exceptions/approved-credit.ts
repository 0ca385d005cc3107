/**
 * A credit of a bank that a person of the operator's has given to an account of a customer's book. The approval of another one makes it that
 * account's: the ledger pool books it there, since a command writes one book alone.
 */
import type { Touch } from '../ledger/command.ts';
import type { Draft } from '../ledger/draft.ts';
import { inboundCredits } from '../outside/credits/credit-table.ts';
import type { Exception } from './exception.ts';

const RESOURCE = 'inbound_credit';

export function creditTouches({ resource, resourceId }: Pick<Exception, 'resource' | 'resourceId'>): Touch[] {
  return resource === RESOURCE ? [{ table: inboundCredits, ids: [resourceId] }] : [];
}

/** False where the target is an account of the exception's own book. */
export function allocateApproved(draft: Draft, { resource, resourceId, targetAccountId }: Exception): boolean {
  const credit = resource === RESOURCE ? draft.get(inboundCredits, resourceId) : undefined;
  if (credit?.status !== 'unallocated' || credit.accountId !== targetAccountId) return false;
  draft.put(inboundCredits, credit.id, {
    ...credit,
    ...{ status: 'allocated', transferId: draft.mintId(), dueAt: draft.wall, updatedAt: draft.wall },
    version: credit.version + 1,
  });
  draft.enqueue({ pool: 'ledger', job: 'credit.take', id: credit.id });
  return true;
}
