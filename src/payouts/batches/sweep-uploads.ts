/** Uploads whose process died, or whose client went away: their pages are deleted once no request can still be adding to them. */
import type { Sweep, SweepContext } from '../../group/group.ts';
import { endUpload, findOldUploads } from './batch-item-store.ts';

/** Many times the longest that a request may take. */
const OLD_MS = 60 * 60_000;
/** Each deletes up to 10,000 rows. */
const PER_ROUND = 10;

export function sweepUploads({ pool, clock, isClosing }: Pick<SweepContext, 'pool' | 'clock' | 'isClosing'>): Sweep {
  return {
    name: 'uploads without a batch',
    async round() {
      const old = await findOldUploads(pool, { before: clock.now() - OLD_MS, limit: PER_ROUND });
      let ended = 0;
      for (const { bookId, batchId } of old) {
        if (isClosing()) break;
        await endUpload(pool, bookId, batchId);
        ended++;
      }
      return ended;
    },
  };
}
