/** Checks idempotency keys: each has an answer that may be stored, or is void. The resource of a 2xx answer exists. */

import { isKept } from '../../errors/kept.ts';
import type { CheckContext } from '../../group/check-context.ts';
import type { RowCheck } from '../../group/row-check.ts';
import { resourceReference } from '../../values/ids.ts';
import { type KeyRow, readKeys } from './idempotency-check-store.ts';

export const idempotencyCheck: RowCheck<KeyRow, string> = {
  name: 'idempotency keys',
  pageRows: 500,
  read: ({ pool, book, resources }, page) => readKeys(pool, book.id, { ...page, resources }),
  check: checkKey,
  placeOf: ({ key }) => key,
};

function checkKey({ report }: CheckContext, row: KeyRow): void {
  const ids = { idempotency_key: row.key };
  const fault = faultOf(row);
  if (fault) {
    report({ check: 'idempotency.answer', ids, ...fault, detail: 'The key holds what no answer can be.' });
  }
  if (row.hasEvent === false) {
    report({
      check: 'idempotency.event',
      ids,
      expected: 'an event about what the request made',
      actual: row.body!,
      detail: 'The answer refers to an event that is not there, or is about something else.',
    });
  }
  if (row.resource === null || row.resourceId === null || row.hasResource !== false) return;
  const reference = resourceReference(row.resource, row.resourceId);
  report({
    check: 'idempotency.resource',
    ids: { ...ids, [row.resource]: reference },
    expected: `a row of ${row.resource} ${reference}`,
    actual: 'none',
    detail: `A request was answered with ${row.status}, and what it made does not exist.`,
  });
}

function faultOf(row: KeyRow): { expected: string; actual: string } | undefined {
  if (row.voided) {
    const empty = row.status === null && row.body === null && row.resource === null;
    return empty ? undefined : { expected: 'nothing beside the tombstone', actual: `an answer of ${row.status}` };
  }
  if (row.status === null || !isKept(row.status)) {
    return { expected: 'a status that is kept', actual: `${row.status ?? 'none'}` };
  }
  // The body is null once its retention has passed.
  if (row.body !== null && !isJsonObject(row.body)) return { expected: 'a JSON object', actual: row.body.slice(0, 80) };
  const made = row.status < 300;
  if (made && row.resourceId === null && row.resource !== 'idempotency_key')
    return { expected: 'a resource', actual: 'none' };
  return undefined;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
