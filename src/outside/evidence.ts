/**
 * Evidence: every answer and notice of a party as it came, kept with the resource that it is about. Append-only. A notice is
 * kept under the party's own id, so that one told twice is taken in once.
 */

import { column } from '../db/declared-columns.ts';
import type { Touch } from '../ledger/command.ts';
import type { Draft } from '../ledger/draft.ts';
import { WRITE_ORDER } from '../ledger/rows/table.ts';
import { tableOf } from '../ledger/rows/table-of.ts';
import type { Instant } from '../values/clock.ts';
import type { ResourceName, Uuid } from '../values/ids.ts';

export interface Evidence {
  readonly id: Uuid;
  readonly resource: ResourceName;
  readonly resourceId: Uuid;
  /** The call that was answered, or `notice`. */
  readonly call: string;
  readonly answer: unknown;
  readonly receivedAt: Instant;
}

interface StoredEvidence extends Evidence {
  /** Stored under resource and id. Otherwise under the payout's id, which is all that release 0.2.0 knows. */
  readonly byResource: boolean;
}

interface EvidenceRow {
  readonly id: Uuid;
  readonly payout_id: Uuid | null;
  readonly resource: ResourceName | null;
  readonly resource_id: Uuid | null;
  readonly call: string;
  readonly answer: unknown;
  readonly received_at: Instant;
}

/** Members of answers that are references of ours or of the party, and amounts in text. */
const REFERENCES = ['reference', 'acquirer_reference', 'original_end_to_end_id', 'clearing_system_reference', 'amount'];

/** A load nearly always finds nothing: only a repeated notice exists already. */
export const evidence = tableOf<StoredEvidence>({
  name: 'rail_answers',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('payout_id', 'uuid', ({ byResource, resourceId }) => (byResource ? null : resourceId)),
    column('resource', 'code', ({ byResource, resource }) => (byResource ? resource : null)),
    column('resource_id', 'uuid', ({ byResource, resourceId }) => (byResource ? resourceId : null)),
    column('call', 'code'),
    column('answer', 'jsonb', { cardNumber: 'masked', references: REFERENCES, notPersonal: 'proof' }),
    column('received_at', 'timestamptz'),
  ],
  fromRow: (row: EvidenceRow) => ({
    id: row.id,
    resource: row.resource ?? 'payout',
    resourceId: (row.resource_id ?? row.payout_id)!,
    call: row.call,
    answer: row.answer,
    receivedAt: row.received_at,
    byResource: row.resource !== null,
  }),
});

/** The rows that a command which stores evidence must declare. */
export function evidenceTouch(id: Uuid): Touch {
  return { table: evidence, ids: [id] };
}

/**
 * Keeps what a party said, as it came. False when it is kept already: it was told twice, or this is an attempt after a
 * lost commit answer; then nothing more happens. The command declares `evidenceTouch`.
 */
export function keepEvidence(draft: Draft, said: Omit<Evidence, 'receivedAt'>): boolean {
  if (draft.get(evidence, said.id)) return false;
  draft.put(evidence, said.id, {
    id: said.id,
    resource: said.resource,
    resourceId: said.resourceId,
    call: said.call,
    answer: said.answer,
    receivedAt: draft.moment.wall,
    byResource: said.resource !== 'payout' || draft.forms.evidenceByResource,
  });
  return true;
}
