import type { ShownResource } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { type Allocation, type BankLine, openAmount } from './bank-line.ts';
import { bankLines } from './bank-line-table.ts';

export const bankLineResource: ShownResource<BankLine> = {
  name: 'bank_line',
  phrase: 'line of a bank statement',
  table: bankLines,
  parent: { name: 'bank_statement', column: 'statement_id' },
  events: [],
  books: false,
  alsoShown: ['counterparty'],
  view: (line, { livemode }) => ({
    id: publicId('bankLine', line.id),
    object: 'bank_line',
    livemode,
    status: line.status,
    bank_statement: publicId('bankStatement', line.statementId),
    bank_account: publicIdOrNull('bankAccount', line.bankAccountId),
    account: publicIdOrNull('account', line.comparedAccountId),
    place: line.place,
    row: line.rowNumber,
    booked_on: line.bookedOn,
    value_on: line.valueOn,
    amount: line.amount,
    amount_open: openAmount(line),
    currency: line.currency,
    currency_exponent: currencyExponent(line.currency),
    bank_reference: line.bankReference,
    end_to_end_id: line.endToEndId,
    references: line.refs,
    batch:
      line.batchTransactions === null && line.batchId === null
        ? null
        : { id: line.batchId, transactions: line.batchTransactions },
    counterparty: { name: line.counterpartyName, account: maskedAccount(line.counterpartyAccount) },
    text: line.text,
    code: line.code,
    charges: line.charges.map(({ amount, currency, included }) => ({ amount: BigInt(amount), currency, included })),
    original:
      line.original === null
        ? null
        : { amount: BigInt(line.original.amount), currency: line.original.currency, rate: line.original.rate },
    reversal: line.isReversal,
    allocation: line.allocation === undefined ? null : allocationView(line.allocation),
    matches: line.matchIds.map((id) => publicId('bankMatch', id)),
    exception: publicIdOrNull('exception', line.exceptionId),
    journal_entries: line.entryId === null ? [] : [publicId('entry', line.entryId)],
    created_at: formatInstant(line.createdAt),
  }),
};

function allocationView({ bookId, accountId, transferId }: Allocation) {
  return {
    book: publicId('book', bookId),
    account: publicIdOrNull('account', accountId),
    inbound_transfer: publicIdOrNull('inboundTransfer', transferId),
  };
}

/** The last four characters: a person recognizes the account, and nobody else sees it. */
function maskedAccount(account: string | null): string | null {
  return account === null ? null : `…${account.slice(-4)}`;
}
