import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { Release } from './share.ts';
import { releases } from './share-table.ts';

export const releaseResource: Resource<Release, Shown> = {
  name: 'release',
  table: releases,
  parent: null,
  events: ['release.created'],
  books: true,
  lineText: {},
  changed: (release, change) => ({ ...release, ...change }),
  view: (release, { livemode }) => ({
    id: publicId('release', release.id),
    object: 'release',
    livemode,
    account: publicId('account', release.accountId),
    amount: release.amount,
    currency: release.currency,
    currency_exponent: currencyExponent(release.currency),
    journal_entries: [publicId('entry', release.entryId)],
    version: release.version,
    created_at: formatInstant(release.createdAt),
    updated_at: formatInstant(release.updatedAt),
  }),
};
