/** Exceptions in a pack: what was open, without what becomes of it later, and without texts of people. */
import type { Exception } from '../exceptions/exception.ts';
import { formatInstant } from '../values/clock.ts';
import { type CsvColumn, csvHeader, csvRow } from '../values/csv-writing.ts';
import { publicId, publicIdOrNull, resourceReference } from '../values/ids.ts';

const COLUMNS: readonly CsvColumn<Exception>[] = [
  { name: 'exception', is: 'plain', read: ({ id }) => publicId('exception', id) },
  { name: 'kind', is: 'plain', read: ({ kind }) => kind },
  { name: 'resource', is: 'plain', read: ({ resource }) => resource },
  { name: 'resource_id', is: 'plain', read: ({ resource, resourceId }) => resourceReference(resource, resourceId) },
  { name: 'opened_at', is: 'plain', read: ({ createdAt }) => formatInstant(createdAt) },
  {
    name: 'waiting_account',
    is: 'plain',
    read: ({ waiting }) => publicIdOrNull('account', waiting?.accountId ?? null),
  },
  { name: 'waiting_currency', is: 'plain', read: ({ waiting }) => waiting?.currency ?? null },
  { name: 'waiting_amount_minor', is: 'plain', read: ({ waiting }) => waiting?.amount ?? null },
  { name: 'detail', is: 'text', read: ({ detail }) => detail },
];

export const exceptionsHeader = csvHeader(COLUMNS);
export const exceptionText = (exception: Exception) => csvRow(COLUMNS, exception);
