/** The journal of a book as the API shows it: its time zone, how far it is closed, and its head. */
import type { Book } from '../ledger/book/book.ts';
import { formatInstant } from '../values/clock.ts';
import { publicId } from '../values/ids.ts';

export function journalView({ id, mode, timeZone, closedThrough, entrySequence, chainHash, lastPostedAt }: Book) {
  return {
    id: publicId('book', id),
    object: 'journal',
    livemode: mode === 'live',
    time_zone: timeZone,
    closed_through: closedThrough,
    through_sequence: entrySequence,
    chain_hash: chainHash,
    last_posted_at: formatInstant(lastPostedAt),
  };
}
