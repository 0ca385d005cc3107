/** Sweeps booked notices whose retention has passed. Waiting notices and those with an exception stay. */
import { byBook } from '../../db/by-book.ts';
import type { Sweep, SweepContext } from '../../group/group.ts';
import { deletePartnerNotices } from './partner-notice-store.ts';
import { deleteNotices, findAgedNotices } from './prune-notices-store.ts';

const PAGE = 500;
const DAY_MS = 24 * 60 * 60 * 1_000;

export function pruneNotices({ pool, clock, config }: SweepContext): Sweep[] {
  /** One page; resolves to how many were deleted. */
  async function round(): Promise<number> {
    const before = clock.now() - config.NOTICE_RETENTION_DAYS * DAY_MS;
    let deleted = 0;
    for (const [bookId, ofBook] of byBook(await findAgedNotices(pool, { before, limit: PAGE })))
      deleted += await deleteNotices(pool, bookId, ofBook);
    return deleted;
  }
  /** Messages of partners, as received. */
  const roundOfPartners = () =>
    deletePartnerNotices(pool, { before: clock.now() - config.NOTICE_RETENTION_DAYS * DAY_MS, limit: PAGE });
  return [
    { name: 'taken notices', round },
    { name: 'acknowledged notices of partners', round: roundOfPartners },
  ];
}
