/** Who had a card's number or PIN shown. Written before the processor is asked to show it, so that nothing is shown without a row. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface DetailAccess {
  /** That of the request. */
  readonly id: Uuid;
  readonly cardId: Uuid;
  readonly what: 'details' | 'pin';
  /** Person or service, with the key, as text: src/values/actor.ts. */
  readonly actor: string;
  /** Of the client, as the service saw it. */
  readonly address: string;
  readonly createdAt: Instant;
}

export const detailAccesses = tableOf<DetailAccess>({
  name: 'card_detail_accesses',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('card_id', 'uuid'),
    column('what', 'code'),
    column('actor', 'text', { notPersonal: 'actor' }),
    column('address', 'text', { notPersonal: 'actor' }),
    column('created_at', 'timestamptz'),
  ],
});
