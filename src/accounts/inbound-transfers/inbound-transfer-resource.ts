import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { INBOUND_TRANSFER_TRANSITIONS, type InboundTransfer } from './inbound-transfer.ts';
import { inboundTransfers } from './inbound-transfer-table.ts';

export const inboundTransferResource: Resource<InboundTransfer, Shown> = {
  name: 'inbound_transfer',
  table: inboundTransfers,
  parent: { name: 'account', column: 'account_id' },
  events: ['inbound_transfer.received', 'inbound_transfer.returned'],
  books: true,
  changed: (transfer, change) => ({ ...transfer, ...change }),
  transitions: INBOUND_TRANSFER_TRANSITIONS,
  view: (transfer, { livemode }) => viewOf(transfer, livemode),
  lineText: { description: 'r.description' },
};

function viewOf(transfer: InboundTransfer, livemode: boolean) {
  const { id, textSalt, description, remittance, payerName, payerAccount, entryId, returnEntryId } = transfer;
  const owner = textSalt && { object: 'inbound_transfer' as const, objectId: id, salt: textSalt };
  return {
    id: publicId('inboundTransfer', id),
    object: 'inbound_transfer',
    livemode,
    account: publicId('account', transfer.accountId),
    amount: transfer.amount,
    currency: transfer.currency,
    currency_exponent: currencyExponent(transfer.currency),
    status: transfer.status,
    bank_reference: transfer.bankReference,
    end_to_end_id: transfer.endToEndId,
    payer: payerName === null && payerAccount === null ? null : { name: payerName, account: payerAccount },
    remittance: owner ? personal(owner, 'remittance', remittance) : remittance,
    description: owner ? personal(owner, 'description', description) : description,
    value_date: transfer.valueOn,
    booked_on: transfer.bookedOn,
    journal_entries: [entryId, returnEntryId].filter((one) => one !== null).map((one) => publicId('entry', one)),
    allowed_actions: [],
    version: transfer.version,
    created_at: formatInstant(transfer.createdAt),
    updated_at: formatInstant(transfer.updatedAt),
  };
}
