import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { allowedActions, BANK_ACCOUNT_TRANSITIONS, type BankAccount } from './bank-account.ts';
import { bankAccounts } from './bank-account-table.ts';

export const bankAccountResource: Resource<BankAccount, Shown> = {
  name: 'bank_account',
  table: bankAccounts,
  parent: null,
  events: ['bank_account.created', 'bank_account.updated', 'bank_account.closed'],
  books: true,
  lineText: {},
  changed: (account, change) => ({ ...account, ...change }),
  transitions: BANK_ACCOUNT_TRANSITIONS,
  allowedActions,
  unlistedActions: ['update', 'draft_rules'],
  whyNot: ({ status, underWay }) => {
    if (status === 'closed') return 'The bank account is closed.';
    return underWay > 0
      ? `Statements being posted: ${underWay}.`
      : 'Money stands on the bank account: it is closed at zero.';
  },
  passes: ({ status, underWay }) => status === 'open' && underWay > 0,
  view: (account, { livemode }) => ({
    id: publicId('bankAccount', account.id),
    object: 'bank_account',
    livemode,
    status: account.status,
    name: account.name,
    currency: account.currency,
    currency_exponent: currencyExponent(account.currency),
    identifiers: account.identifiers,
    bic: account.bic,
    holds: account.holds,
    opening: { on: account.openingOn, amount: account.openingAmount, outstanding: account.outstanding },
    books_from: account.booksFrom,
    reversal_indicator: account.reversalIndicator,
    allocate_on: account.allocateOn,
    calendar: account.calendar,
    window: { before: account.windowBefore, after: account.windowAfter },
    parties: account.parties,
    ledger_account: publicId('account', account.ledgerAccountId),
    balance: account.balance,
    last_statement: publicIdOrNull('bankStatement', account.lastStatementId),
    rules_version: account.rulesVersion,
    journal_entries: account.entryIds.map((id) => publicId('entry', id)),
    allowed_actions: allowedActions(account),
    request_id: publicId('request', account.requestId),
    version: account.version,
    created_at: formatInstant(account.createdAt),
    updated_at: formatInstant(account.updatedAt),
  }),
};
