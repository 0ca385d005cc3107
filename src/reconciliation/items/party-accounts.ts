/** Accounts of the operator's chart that are one a party: a rail, an acquirer, the card schemes. */
import type { OperatorCode } from '../../ledger/account/account-code.ts';
import { chartAccountId, partyAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';

interface PartySide {
  readonly code: OperatorCode;
  readonly currency: string;
  /** Its name. Left out for a code that has one account for all. */
  readonly party?: string | undefined;
}

/** Derived, so that a command can name the account before it exists. */
export function sideAccountId(bookId: BookId, { code, currency, party }: PartySide): Uuid {
  if (party === undefined) return chartAccountId(bookId, code, currency);
  return partyAccountId(bookId, code, { currency, party: partyId(party) });
}

/** Opened when first needed. Declare its id in `touches`. */
export function sideAccount(draft: Draft, { code, currency, party }: PartySide) {
  if (party === undefined) return draft.chart(code, currency);
  return draft.partyAccount(code, { currency, party: partyId(party) });
}

function partyId(name: string): Uuid {
  return deriveId('party', name);
}
