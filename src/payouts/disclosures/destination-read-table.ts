/** Who read the destination of a payout or a payee in clear. Written before it is opened, so that nothing is shown without a row. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { logOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface DestinationRead {
  /** That of the request. */
  readonly id: Uuid;
  readonly object: 'payout' | 'payee';
  readonly objectId: Uuid;
  /** Person or service, with the key, as text: src/values/actor.ts. */
  readonly actor: string;
  /** Of the client, as the service saw it. */
  readonly address: string;
  readonly createdAt: Instant;
}

export const destinationReads = logOf<DestinationRead>({
  name: 'destination_reads',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('object', 'code'),
    column('object_id', 'uuid'),
    column('actor', 'text', { notPersonal: 'actor' }),
    column('address', 'text', { notPersonal: 'actor' }),
    column('created_at', 'timestamptz'),
  ],
});
