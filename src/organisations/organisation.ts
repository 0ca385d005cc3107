/**
 * An organisation and its two books: one for test, one for live. All that an organisation owns is in one of the books.
 * One organisation is the operator's own: rows that belong to no customer name one of its books. Nothing is posted
 * there.
 * Next: organisation-store.ts (rows), open-organisation.ts (creation), api-key.ts (access to a book), person.ts (who
 * acts).
 */

import type { Book, Mode } from '../ledger/book/book.ts';
import { GENESIS_HASH } from '../ledger/entry/entry-hash.ts';
import type { Instant } from '../values/clock.ts';
import { newId, type Uuid } from '../values/ids.ts';

export type OrganisationKind = 'customer' | 'operator';

export interface Organisation {
  readonly id: Uuid;
  readonly kind: OrganisationKind;
  readonly name: string;
  readonly createdAt: Instant;
}

export interface OrganisationBook extends Book {
  readonly organisationId: Uuid;
  readonly createdAt: Instant;
}

/** The last posting of a book without entries: any clock is later. */
const BEFORE_ANY_POSTING: Instant = 0;

const MODES: readonly Mode[] = ['test', 'live'];

/** The name of the operator's organisation. No customer has this name: commands of the operator find organisations by theirs. */
export const OPERATOR_NAME = 'Operator of this installation';

export function newOrganisation(
  name: string,
  at: Instant,
  kind: OrganisationKind = 'customer',
): { organisation: Organisation; books: OrganisationBook[] } {
  const organisation: Organisation = { id: newId(), kind, name, createdAt: at };
  const books = MODES.map(
    (mode): OrganisationBook => ({
      id: newId(),
      organisationId: organisation.id,
      mode,
      timeZone: 'UTC',
      entrySequence: 0n,
      eventSequence: 0n,
      chainHash: GENESIS_HASH,
      closedThrough: null,
      lastPostedAt: BEFORE_ANY_POSTING,
      clockOffsetMs: 0,
      clockTarget: null,
      clockAt: null,
      batchId: newId(),
      createdAt: at,
    }),
  );
  return { organisation, books };
}
