/** The rows of payouts. Every transition also takes back the mark of a row that was stuck: it has moved. */
import { column, type RowOf } from '../../db/declared-columns.ts';
import { hasText, newSalt } from '../../ledger/rows/personal-text.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import { packIds, unpackIds } from '../../values/ids.ts';
import type { Payout } from './payout.ts';

const outsideOf = ({ destination }: Payout) => (destination.type === 'account' ? null : destination);

export const payouts = tableOf<Payout>({
  name: 'payouts',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true, filter: true }),
    column('account_id', 'uuid', { filter: true }),
    column('hold_id', 'uuid'),
    column('amount', 'bigint'),
    column('fee', 'bigint'),
    column('amount_returned', 'bigint', { changes: true }),
    column('returns', 'smallint', { changes: true }),
    column('currency', 'code'),
    column('rail', 'code'),
    column('destination_type', 'code', ({ destination }) => destination.type),
    column('destination_account_id', 'uuid', ({ destination }) =>
      destination.type === 'account' ? destination.accountId : null,
    ),
    column('destination_sealed', 'bytea', (payout) => outsideOf(payout)?.sealed ?? null, { sealed: true }),
    column('destination_masked', 'text', (payout) => outsideOf(payout)?.masked ?? null, { notPersonal: 'masked' }),
    column('destination_provider', 'text', (payout) => outsideOf(payout)?.provider ?? null, {
      notPersonal: 'instruction',
    }),
    column('description', 'text', { personal: true }),
    column('external_id', 'text', { notPersonal: 'own_reference', filter: true }),
    column('metadata', 'jsonb', { personal: true }),
    column('text_salt', 'bytea'),
    column('end_to_end_id', 'text', { notPersonal: 'reference' }),
    column('outcome', 'code', { changes: true }),
    column('inquiries', 'smallint', { changes: true }),
    column('next_inquiry_at', 'timestamptz', { changes: true }),
    column('sent_at', 'timestamptz', { changes: true }),
    column('failure_code', 'code', { changes: true }),
    column('rail_code', 'text', { cardNumber: 'masked', notPersonal: 'reference', changes: true }),
    column('rail_reference', 'text', { cardNumber: 'exempt', notPersonal: 'reference', changes: true }),
    // Of the two, a row has the one that its release reads: both forms are told apart by `first_event`.
    column('entry_ids', 'jsonb', ({ firstEvent, entryIds }) => (firstEvent === null ? entryIds : null), {
      notPersonal: 'facts',
      changes: true,
    }),
    column(
      'packed_entry_ids',
      'bytea',
      ({ firstEvent, entryIds }) => (firstEvent === null ? null : packIds(entryIds)),
      {
        changes: true,
      },
    ),
    column('first_event', 'bigint'),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
  fromRow: payoutFromRow,
});

type PayoutRow = RowOf<Omit<Payout, 'destination' | 'entryIds'>> & {
  readonly entry_ids: Payout['entryIds'] | null;
  readonly packed_entry_ids: Buffer | null;
  readonly destination_type: Payout['destination']['type'];
  readonly destination_account_id: string | null;
  readonly destination_sealed: Buffer | null;
  readonly destination_masked: string | null;
  readonly destination_provider: string | null;
};

function payoutFromRow(row: PayoutRow): Payout {
  return {
    id: row.id,
    status: row.status,
    accountId: row.account_id,
    holdId: row.hold_id,
    amount: row.amount,
    fee: row.fee,
    amountReturned: row.amount_returned,
    returns: row.returns,
    currency: row.currency,
    rail: row.rail,
    destination:
      row.destination_type === 'account'
        ? { type: 'account', accountId: row.destination_account_id! }
        : {
            type: row.destination_type,
            sealed: row.destination_sealed!,
            masked: row.destination_masked!,
            provider: row.destination_provider,
          },
    description: row.description,
    externalId: row.external_id,
    metadata: row.metadata,
    // A row of release 0.2.0 has none. It never changes: each event has texts of its own then.
    textSalt: row.text_salt ?? (hasText(row) ? newSalt() : null),
    endToEndId: row.end_to_end_id,
    outcome: row.outcome,
    inquiries: row.inquiries,
    nextInquiryAt: row.next_inquiry_at,
    sentAt: row.sent_at,
    failureCode: row.failure_code,
    railCode: row.rail_code,
    railReference: row.rail_reference,
    entryIds: row.packed_entry_ids === null ? row.entry_ids! : unpackIds(row.packed_entry_ids),
    firstEvent: row.first_event,
    requestId: row.request_id,
    version: row.version,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
