import { expect, test } from 'vitest';
import { newOrganisation } from '../../../src/organisations/organisation.ts';

test('an organisation begins with an empty test book and an empty live book', () => {
  const { organisation, books } = newOrganisation('Acme', 1_700_000_000_000);
  expect(books.map(({ mode }) => mode)).toEqual(['test', 'live']);
  expect(new Set([organisation.id, ...books.map(({ id }) => id)]).size).toBe(3);
  for (const book of books) {
    expect(book).toMatchObject({
      organisationId: organisation.id,
      entrySequence: 0n,
      eventSequence: 0n,
      lastPostedAt: 0,
    });
    expect(book.chainHash).toBe('0'.repeat(64));
  }
});
