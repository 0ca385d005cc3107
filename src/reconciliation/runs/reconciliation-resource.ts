import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { type Position, RECONCILIATION_TRANSITIONS, type Reconciliation } from './reconciliation.ts';
import { reconciliations } from './reconciliation-table.ts';

export const reconciliationResource: Resource<Reconciliation, Shown> = {
  name: 'reconciliation',
  table: reconciliations,
  parent: null,
  events: ['reconciliation.matched', 'reconciliation.completed', 'reconciliation.failed'],
  books: false,
  changed: (run, change) => ({ ...run, ...change }),
  transitions: RECONCILIATION_TRANSITIONS,
  firstStatuses: ['pending', 'running'],
  view: (run, { livemode }) => reconciliationView(run, livemode),
};

export function reconciliationView(run: Reconciliation, livemode: boolean) {
  return {
    id: publicId('reconciliation', run.id),
    object: 'reconciliation',
    livemode,
    status: run.status,
    source: fileView(run),
    bank_account: publicIdOrNull('bankAccount', run.bankAccountId),
    account: publicIdOrNull('account', run.comparedAccountId),
    through: run.through,
    statements: run.statements,
    known: run.known,
    lines: run.lines,
    matched: run.matched,
    by_rule: run.byRule.map(({ rule, currency, lines, amount }) => ({
      ...{ rule, currency, currency_exponent: currencyExponent(currency), lines, amount: BigInt(amount) },
    })),
    proposed: run.proposed,
    open: run.openLines,
    findings: run.findings.map(({ statementId, ...finding }) => ({
      ...finding,
      bank_statement: publicId('bankStatement', statementId),
    })),
    findings_total: run.findingsTotal,
    position: run.position.map(positionView),
    rules_version: run.rulesVersion,
    mirrored_through: run.mirroredThrough,
    digest: run.digest,
    progress: { bytes: run.progressBytes, lines: run.progressLines },
    failure: run.failure,
    allowed_actions: [],
    request_id: publicId('request', run.requestId),
    version: run.version,
    created_at: formatInstant(run.createdAt),
    updated_at: formatInstant(run.updatedAt),
  };
}

function fileView({ sha256, name, format, bytes, profileId }: Reconciliation) {
  return sha256 === null ? null : { sha256, name, format, bytes, profile: publicIdOrNull('csvProfile', profileId) };
}

function positionView({ bankAccountId, currency, on, bank, books, ...rest }: Position) {
  return {
    bank_account: publicId('bankAccount', bankAccountId),
    currency,
    currency_exponent: currencyExponent(currency),
    on,
    bank: bank === null ? null : BigInt(bank),
    in_transit_in: BigInt(rest.inTransitIn),
    in_transit_out: BigInt(rest.inTransitOut),
    unallocated: BigInt(rest.unallocated),
    suspense: BigInt(rest.suspense),
    books: BigInt(books),
    difference: bank === null ? null : BigInt(bank) - BigInt(books),
  };
}
