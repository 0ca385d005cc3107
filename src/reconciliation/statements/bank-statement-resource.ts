import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { parseActor, viewOfActor } from '../../values/actor.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { allowedActions, BANK_STATEMENT_TRANSITIONS, type BankStatement } from './bank-statement.ts';
import { bankStatements } from './bank-statement-table.ts';

export const bankStatementResource: Resource<BankStatement, Shown> = {
  name: 'bank_statement',
  table: bankStatements,
  parent: null,
  events: [
    'bank_statement.received',
    'bank_statement.posted',
    'bank_statement.held',
    'bank_statement.rejected',
    'bank_statement.restated',
  ],
  books: true,
  lineText: {},
  changed: (statement, change) => ({ ...statement, ...change }),
  transitions: BANK_STATEMENT_TRANSITIONS,
  allowedActions,
  whyNot: ({ status, released, decision }, action) =>
    status === 'held' && !released
      ? action === 'approve' && decision === null
        ? 'Nobody has decided about the statement yet.'
        : 'The statement cannot be posted as it is: reject it.'
      : `The statement is ${status}.`,
  view: (statement, { livemode }) => ({
    id: publicId('bankStatement', statement.id),
    object: 'bank_statement',
    livemode,
    status: statement.status,
    reconciliation: publicId('reconciliation', statement.reconciliationId),
    bank_account: publicIdOrNull('bankAccount', statement.bankAccountId),
    compared_account: publicIdOrNull('account', statement.comparedAccountId),
    account: statement.account,
    kind: statement.kind,
    format: statement.format,
    number: statement.number,
    page: statement.page,
    from: statement.fromOn,
    to: statement.toOn,
    currency: statement.currency,
    currency_exponent: statement.currency === null ? null : currencyExponent(statement.currency),
    opening: statement.opening,
    closing: statement.closing,
    credits: { count: statement.creditsCount, sum: statement.creditsSum },
    debits: { count: statement.debitsCount, sum: statement.debitsSum },
    lines: statement.lines,
    lines_posted: statement.bookedLines,
    findings: statement.findings,
    supersedes: publicIdOrNull('bankStatement', statement.supersedes),
    sha256: statement.sha256,
    exception: publicIdOrNull('exception', statement.exceptionId),
    decision: statement.decision,
    reason: shownReason(statement),
    decided_by: actorView(statement.decidedBy),
    approved_by: actorView(statement.approvedBy),
    journal_entries: statement.firstEntryIds.map((id) => publicId('entry', id)),
    allowed_actions: allowedActions(statement),
    request_id: publicId('request', statement.requestId),
    version: statement.version,
    created_at: formatInstant(statement.createdAt),
    updated_at: formatInstant(statement.updatedAt),
  }),
};

function shownReason({ id, reason, textSalt }: BankStatement) {
  return textSalt === null
    ? reason
    : personal({ object: 'bank_statement', objectId: id, salt: textSalt }, 'reason', reason);
}

function actorView(actor: string | null) {
  return actor === null ? null : viewOfActor(parseActor(actor), NO_OWNERS);
}

const NO_OWNERS = new Map<string, never>();
