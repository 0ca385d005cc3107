import { column } from '../../db/declared-columns.ts';
import type { Walk } from '../../db/walk.ts';
import type { ResourceName, Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';
import type { Draft } from '../command/draft.ts';
import { WRITE_ORDER } from '../rows/table.ts';
import { logOf } from '../rows/table-of.ts';

/**
 * One pair of an object's metadata, for `metadata[key]` filters. The table is insert-only, so search costs the hot rows
 * nothing.
 */
export interface MetadataPair {
  readonly object: ResourceName;
  readonly key: string;
  readonly value: string;
  readonly objectId: Uuid;
}

export const metadataIndex = logOf<MetadataPair>({
  name: 'metadata_index',
  writeOrder: WRITE_ORDER.resourceChildren,
  ifNew: true,
  columns: [
    column('object', 'code'),
    column('key', 'text', { personal: true }),
    column('value', 'text', { personal: true }),
    column('object_id', 'uuid'),
  ],
});

/** Adds an object's metadata to the index. Replaced values stay in the index, so lists compare with the object itself. */
export function indexMetadata(
  draft: Pick<Draft, 'append'>,
  metadata: Readonly<Record<string, string>>,
  { object, objectId }: Pick<MetadataPair, 'object' | 'objectId'>,
): void {
  for (const [key, value] of Object.entries(metadata)) draft.append(metadataIndex, { object, key, value, objectId });
}

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
