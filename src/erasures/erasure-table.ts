/** Erasures: who erased the personal text of an object, and when it was finished. Kept for good, without the text. */

import { column } from '../db/declared-columns.ts';
import { WRITE_ORDER } from '../ledger/rows/table.ts';
import { tableOf } from '../ledger/rows/table-of.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export interface Erasure {
  readonly id: Uuid;
  readonly object: string;
  readonly objectId: Uuid;
  /** `operator:NAME`. */
  readonly actor: string;
  /** Members of the object's view. */
  readonly fields: readonly string[];
  readonly begunAt: Instant;
  /** Null while it is under way, or was interrupted. */
  readonly finishedAt: Instant | null;
}

export const erasures = tableOf<Erasure>({
  name: 'erasures',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('object', 'code'),
    column('object_id', 'uuid'),
    column('actor', 'text', { notPersonal: 'actor' }),
    column('fields', 'text list', { notPersonal: 'facts' }),
    column('begun_at', 'timestamptz'),
    column('finished_at', 'timestamptz', { changes: true }),
  ],
});
