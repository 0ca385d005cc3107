import { formatInstant } from '../clock.ts';
import { publicId } from '../ids.ts';
import type { Draft } from '../ledger/draft.ts';
import type { Payout } from './payout.ts';
import { exceptions } from './payout-children-store.ts';

/** Puts a contradiction before a person: a row, and an event. */
export function raise(draft: Draft, payout: Payout, exception: { kind: string; detail: string }): void {
  const id = draft.mintId();
  draft.append(exceptions, { id, resource: 'payout', resourceId: payout.id, createdAt: draft.moment, ...exception });
  draft.emit({
    type: 'reconciliation.exception_opened',
    objectId: payout.id,
    objectSequence: payout.version,
    object: {
      id: publicId('exception', id),
      object: 'exception',
      kind: exception.kind,
      detail: exception.detail,
      payout: publicId('payout', payout.id),
      status: 'open',
      created_at: formatInstant(draft.moment),
    },
  });
}
