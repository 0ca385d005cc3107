/**
 * Checks a book as a whole: its accounts balance in each currency, and no row lies beyond the heads in the book's row.
 */

import type { Check } from '../group/check-context.ts';
import { readBeyondHeads, sumAccounts } from './book-bounds-store.ts';

export const bookCheck: Check = {
  name: 'book',
  async run({ pool, book, report }) {
    for (const { currency, debits, credits } of await sumAccounts(pool, book.id)) {
      if (debits === credits) continue;
      report({
        check: 'book.balanced',
        ids: { currency },
        expected: `credits of ${debits}`,
        actual: `credits of ${credits}`,
        detail: `In ${currency}, what was debited over all accounts is not what was credited.`,
      });
    }
    const heads = await readBeyondHeads(pool, book.id);
    if (heads.lastEntry > heads.entrySequence) {
      report({
        check: 'journal.head',
        ids: { sequence: `${heads.lastEntry}` },
        expected: `${heads.entrySequence}`,
        actual: `${heads.lastEntry}`,
        detail: 'There are entries beyond the last one that the book knows of.',
      });
    }
    if (heads.lastEvent > heads.eventSequence) {
      report({
        check: 'event.sequence',
        ids: { sequence: `${heads.lastEvent}` },
        expected: `${heads.eventSequence}`,
        actual: `${heads.lastEvent}`,
        detail: 'There are events beyond the last one that the book knows of.',
      });
    }
  },
};
