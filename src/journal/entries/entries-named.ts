/** By what files name an entry that was asked for by API: the organisation's own reference of it. */
import type { LineNames } from '../../group/at-bank.ts';
import { readExternalIds } from './entry-facts-store.ts';
import { MANUAL } from './manual-entry.ts';

export const entriesNamed: LineNames = {
  resources: [MANUAL.resource],
  async names(db, bookId, lines) {
    const found = await readExternalIds(db, bookId, [...new Set(lines.map(({ resourceId }) => resourceId))]);
    return new Map(
      lines.flatMap(({ line, resourceId }): [bigint, string][] => {
        const externalId = found.get(resourceId);
        return externalId === undefined ? [] : [[line, externalId]];
      }),
    );
  },
};
