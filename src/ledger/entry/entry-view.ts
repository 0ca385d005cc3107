/** A journal entry as the API and events show it. It has the exact postings, so that balances can be rebuilt from events only. */

import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, resourceReference, type Uuid } from '../../values/ids.ts';
import type { Entry } from './entry.ts';

export function journalEntryView(entry: Omit<Entry, 'text'>, codeOf: (accountId: Uuid) => string) {
  return {
    id: publicId('entry', entry.id),
    object: 'journal_entry',
    sequence: entry.sequence,
    resource: entry.resource,
    resource_id: resourceReference(entry.resource, entry.resourceId),
    step: entry.step,
    posted_at: formatInstant(entry.postedAt),
    effective_at: formatInstant(entry.effectiveAt),
    request_id: publicId('request', entry.requestId),
    floor_overridden: entry.floorOverridden,
    hash: entry.hash,
    postings: entry.postings.map((posting) => ({
      debit: {
        account: publicId('account', posting.debitAccountId),
        code: codeOf(posting.debitAccountId),
        sequence: posting.debitLine,
        balance_after: posting.debitBalanceAfter,
      },
      credit: {
        account: publicId('account', posting.creditAccountId),
        code: codeOf(posting.creditAccountId),
        sequence: posting.creditLine,
        balance_after: posting.creditBalanceAfter,
      },
      amount: posting.amount,
      currency: posting.currency,
      currency_exponent: currencyExponent(posting.currency),
    })),
  };
}
