/**
 * Evidence: every answer and notice of a party as received, stored with its resource. Append-only. A notice is stored
 * under the party's own id, so that a repeated one is booked once.
 */

import { column } from '../../db/declared-columns.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { ResourceName, Uuid } from '../../values/ids.ts';

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
  /** The command that stored it, and whose events are named after it. Null where the evidence has its id. */
  readonly commandId: Uuid | null;
  /** Stored under resource and id. Otherwise under the payout's id, as all evidence was before there were other resources. */
  readonly byResource: boolean;
}

interface ReadTogether {
  readonly payout_id: Uuid | null;
  readonly resource: ResourceName | null;
  readonly resource_id: Uuid | null;
}

/** Members of answers that are references of ours or of the party, and amounts in text. */
const REFERENCES = [
  'reference',
  'acquirer_reference',
  'processor_reference',
  'card_reference',
  'of',
  'original_end_to_end_id',
  'clearing_system_reference',
  'amount',
];

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
    column('command_id', 'uuid'),
  ],
  alsoRead: ({ payout_id, resource, resource_id }: ReadTogether) => ({
    resource: resource ?? 'payout',
    resourceId: (resource_id ?? payout_id)!,
    byResource: resource !== null,
  }),
});

/** The rows that a command which stores evidence must declare. */
export function evidenceTouch(id: Uuid): Touch {
  return { table: evidence, ids: [id] };
}

/**
 * Stores an answer or notice as received. False when it is stored already: a repeated notice, or an attempt after a
 * lost commit answer; then nothing more happens. The command declares `evidenceTouch`.
 */
export function keepEvidence(draft: Draft, received: Omit<Evidence, 'receivedAt'>): boolean {
  if (draft.get(evidence, received.id)) return false;
  draft.put(evidence, received.id, {
    id: received.id,
    resource: received.resource,
    resourceId: received.resourceId,
    call: received.call,
    answer: received.answer,
    receivedAt: draft.moment.wall,
    commandId: received.id === draft.commandId ? null : draft.commandId,
    byResource: received.resource !== 'payout' || draft.forms.evidenceByResource,
  });
  return true;
}
