import { column, plainArray, rowsOf, textArray } from '../db/columns.ts';
import type { Walk } from '../db/walk.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from './book.ts';
import { type Log, WRITE_ORDER } from './table.ts';

/**
 * One pair of an object's metadata, for `metadata[key]` filters. The table is insert-only, so search costs the hot rows
 * nothing.
 */
export interface MetadataPair {
  readonly object: 'payout' | 'account';
  readonly key: string;
  readonly value: string;
  readonly objectId: Uuid;
}

const INSERT_METADATA_INDEX = `INSERT INTO metadata_index (book_id, object, key, value, object_id)
  SELECT $1, ${rowsOf('text', 'text', 'text', 'uuid')} ON CONFLICT DO NOTHING`;

export const metadataIndex: Log<MetadataPair> = {
  name: 'metadata_index',
  writeOrder: WRITE_ORDER.resourceChildren,
  async append(trx, bookId, rows) {
    await trx.query({
      name: 'metadata_index.append',
      text: INSERT_METADATA_INDEX,
      values: [
        bookId,
        textArray(column(rows, (row) => row.object)),
        textArray(column(rows, (row) => row.key)),
        textArray(column(rows, (row) => row.value)),
        plainArray(column(rows, (row) => row.objectId)),
      ],
    });
  },
};

/** The objects of each pair, in id order. Index: metadata_index_pkey. */
export function metadataWalks(
  bookId: BookId,
  object: MetadataPair['object'],
  metadata: Readonly<Record<string, string>> = {},
): Walk[] {
  return Object.entries(metadata).map(([key, value]) => ({
    table: 'metadata_index',
    id: 'object_id',
    equal: { book_id: bookId, object, key, value },
    probed: true,
  }));
}
