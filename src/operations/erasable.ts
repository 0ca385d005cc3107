/**
 * Objects whose personal text a person may ask to have erased. The columns follow from the declarations of their tables
 * (`personal`); beside them stand the members of views that show a column under another name.
 */
import { accountHolds } from '../accounts/account-hold-table.ts';
import { accountProfiles } from '../accounts/account-profile-table.ts';
import { inboundTransfers } from '../accounts/inbound-transfer-table.ts';
import { exceptions } from '../exceptions/exception-table.ts';
import type { BookId } from '../ledger/book.ts';
import type { PersonalObject } from '../ledger/rows/personal-text.ts';
import type { DeclaredTable } from '../ledger/rows/table-of.ts';
import { disputes } from '../payments/disputes/dispute-table.ts';
import { paymentOperations } from '../payments/operations/payment-operation-table.ts';
import { payments } from '../payments/payment/payment-table.ts';
import { readers } from '../payments/readers/reader-table.ts';
import { paymentTokens } from '../payments/tokens/payment-token-table.ts';
import { payouts } from '../payouts/payout/payout-table.ts';
import { type IdKind, parsePublicId, type Uuid } from '../values/ids.ts';
import { webhookEndpoints } from '../webhooks/endpoint-table.ts';

export interface ErasableKind {
  readonly object: PersonalObject;
  readonly kind: IdKind;
  readonly table: Pick<DeclaredTable<unknown>, 'name' | 'key' | 'columns'>;
  /** Members of the object's views that show personal text. */
  readonly members: ReadonlySet<string>;
}

function erasable<Row>(
  object: ErasableKind['object'],
  {
    kind,
    table,
    alsoShown = [],
  }: {
    kind: IdKind;
    table: Pick<DeclaredTable<Row>, 'name' | 'key' | 'columns'>;
    alsoShown?: readonly string[];
  },
): ErasableKind {
  const columns = table.columns.filter((column) => column.personal).map(({ name }) => name);
  return { object, kind, table: table as ErasableKind['table'], members: new Set([...columns, ...alsoShown]) };
}

export const ERASABLE: readonly ErasableKind[] = [
  erasable('payout', { kind: 'payout', table: payouts, alsoShown: ['remittance'] }),
  erasable('payment', { kind: 'payment', table: payments }),
  erasable('refund', { kind: 'refund', table: paymentOperations }),
  erasable('payment_token', { kind: 'paymentToken', table: paymentTokens }),
  erasable('reader', { kind: 'reader', table: readers }),
  // The descriptions of transfers to the account.
  erasable('account', { kind: 'account', table: accountProfiles, alsoShown: ['description'] }),
  erasable('inbound_transfer', { kind: 'inboundTransfer', table: { ...inboundTransfers, key: 'id' } }),
  erasable('dispute', { kind: 'dispute', table: disputes }),
  erasable('hold', { kind: 'hold', table: accountHolds }),
  erasable('webhook_endpoint', { kind: 'webhookEndpoint', table: webhookEndpoints }),
  erasable('exception', { kind: 'exception', table: exceptions }),
];

/** An object, with the book that it is in. */
export interface ErasureSubject extends ErasableKind {
  readonly bookId: BookId;
  readonly id: Uuid;
}

/** Undefined if the text is not the id of such an object. */
export function parseErasable(shownId: string): { kind: ErasableKind; id: Uuid } | undefined {
  for (const kind of ERASABLE) {
    const id = parsePublicId(kind.kind, shownId);
    if (id !== undefined) return { kind, id };
  }
  return undefined;
}

export function erasableOf(object: PersonalObject): ErasableKind {
  return ERASABLE.find((kind) => kind.object === object)!;
}
