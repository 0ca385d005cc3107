import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { BookMirror } from './book-mirror.ts';
import { bookMirrors } from './book-mirror-table.ts';

export const bookMirrorResource: Resource<BookMirror, Shown> = {
  name: 'book_mirror',
  table: bookMirrors,
  parent: null,
  events: ['book_mirror.posted'],
  books: true,
  lineText: {},
  phrase: 'mirrored range',
  changed: (mirror, change) => ({ ...mirror, ...change }),
  view: (mirror, { livemode }) => viewOf(mirror, livemode),
};

function viewOf(mirror: BookMirror, livemode: boolean) {
  return {
    id: publicId('bookMirror', mirror.id),
    object: 'book_mirror',
    livemode,
    status: 'posted',
    book: publicId('book', mirror.ofBook),
    currency: mirror.currency,
    currency_exponent: currencyExponent(mirror.currency),
    from_line: mirror.fromLine,
    through_line: mirror.throughLine,
    day: mirror.day,
    money_in: mirror.moneyIn,
    money_out: mirror.moneyOut,
    pool_balance: mirror.poolBalance,
    expected_items: mirror.items,
    journal_entries: mirror.entryIds.map((id) => publicId('entry', id)),
    request_id: publicId('request', mirror.requestId),
    version: mirror.version,
    created_at: formatInstant(mirror.createdAt),
    updated_at: formatInstant(mirror.updatedAt),
  };
}
