/** Every migration, in order. Listed by name, so that source and build agree on which ones have run. */
import type { Knex } from 'knex';
import * as organisations from './0001-organisations.ts';
import * as ledger from './0002-ledger.ts';
import * as accountsPayouts from './0003-accounts-payouts.ts';
import * as webhooks from './0004-webhooks.ts';
import * as sandboxRail from './0005-sandbox-rail.ts';
import * as indexesForOnePurpose from './0006-indexes-for-one-purpose.ts';
import * as checkpoints from './0007-checkpoints.ts';
import * as batchId from './0008-batch-id.ts';
import * as referencesOfOneCommit from './0009-references-of-one-commit.ts';
import * as accountsOfAPosting from './0010-accounts-of-a-posting.ts';
import * as accountsByStatus from './0011-accounts-by-status.ts';
import * as railNotices from './0012-rail-notices.ts';
import * as endpointsBehind from './0013-endpoints-behind.ts';
import * as railConfirms from './0014-rail-confirms.ts';
import * as installation from './0016-installation.ts';
import * as limitsOfMoney from './0017-limits-of-money.ts';
import * as dueByBook from './0018-due-by-book.ts';
import * as joinedBacklogs from './0019-joined-backlogs.ts';
import * as personalText from './0021-personal-text.ts';
import * as contractUnderWay from './0022-contract-under-way.ts';
import * as peopleAndOperator from './0023-people-and-operator.ts';
import * as bookClock from './0024-book-clock.ts';
import * as accountHolds from './0025-account-holds.ts';
import * as evidenceByResource from './0026-evidence-by-resource.ts';
import * as children from './0027-children.ts';
import * as exceptions from './0028-exceptions.ts';
import * as holdsByStatus from './0029-holds-by-status.ts';
import * as keyStamp from './0030-key-stamp.ts';
import * as eventsInForms from './0031-events-in-forms.ts';
import * as payoutsByAccount from './0032-payouts-by-account.ts';
import * as payments from './0033-payments.ts';
import * as checkout from './0034-checkout.ts';
import * as settlements from './0035-settlements.ts';
import * as disputes from './0036-disputes.ts';
import * as tokensAndReaders from './0037-tokens-and-readers.ts';
import * as releaseSchedules from './0038-release-schedules.ts';
import * as partnerNotices from './0039-partner-notices.ts';
import * as paymentLists from './0040-payment-lists.ts';
import * as failedRefundsSettled from './0041-failed-refunds-settled.ts';
import * as rowsOfAccounts from './0043-rows-of-accounts.ts';
import * as plansOfPaydays from './0044-plans-of-paydays.ts';
import * as webhookRecovery from './0047-webhook-recovery.ts';
import * as erasedTexts from './0048-erased-texts.ts';

interface NamedMigration {
  name: string;
  migration: Knex.Migration;
}

const MIGRATIONS: NamedMigration[] = [
  { name: '0001-organisations', migration: organisations },
  { name: '0002-ledger', migration: ledger },
  { name: '0003-accounts-payouts', migration: accountsPayouts },
  { name: '0004-webhooks', migration: webhooks },
  { name: '0005-sandbox-rail', migration: sandboxRail },
  { name: '0006-indexes-for-one-purpose', migration: indexesForOnePurpose },
  { name: '0007-checkpoints', migration: checkpoints },
  { name: '0008-batch-id', migration: batchId },
  { name: '0009-references-of-one-commit', migration: referencesOfOneCommit },
  { name: '0010-accounts-of-a-posting', migration: accountsOfAPosting },
  { name: '0011-accounts-by-status', migration: accountsByStatus },
  { name: '0012-rail-notices', migration: railNotices },
  { name: '0013-endpoints-behind', migration: endpointsBehind },
  { name: '0014-rail-confirms', migration: railConfirms },
  { name: '0016-installation', migration: installation },
  { name: '0017-limits-of-money', migration: limitsOfMoney },
  { name: '0018-due-by-book', migration: dueByBook },
  { name: '0019-joined-backlogs', migration: joinedBacklogs },
  { name: '0021-personal-text', migration: personalText },
  { name: '0023-people-and-operator', migration: peopleAndOperator },
  { name: '0022-contract-under-way', migration: contractUnderWay },
  { name: '0024-book-clock', migration: bookClock },
  { name: '0025-account-holds', migration: accountHolds },
  { name: '0026-evidence-by-resource', migration: evidenceByResource },
  { name: '0027-children', migration: children },
  { name: '0028-exceptions', migration: exceptions },
  { name: '0029-holds-by-status', migration: holdsByStatus },
  { name: '0030-key-stamp', migration: keyStamp },
  { name: '0031-events-in-forms', migration: eventsInForms },
  { name: '0032-payouts-by-account', migration: payoutsByAccount },
  { name: '0033-payments', migration: payments },
  { name: '0034-checkout', migration: checkout },
  { name: '0035-settlements', migration: settlements },
  { name: '0036-disputes', migration: disputes },
  { name: '0037-tokens-and-readers', migration: tokensAndReaders },
  { name: '0038-release-schedules', migration: releaseSchedules },
  { name: '0039-partner-notices', migration: partnerNotices },
  { name: '0040-payment-lists', migration: paymentLists },
  { name: '0041-failed-refunds-settled', migration: failedRefundsSettled },
  { name: '0044-plans-of-paydays', migration: plansOfPaydays },
  { name: '0047-webhook-recovery', migration: webhookRecovery },
  { name: '0048-erased-texts', migration: erasedTexts },
  { name: '0043-rows-of-accounts', migration: rowsOfAccounts },
];

export const migrationSource: Knex.MigrationSource<NamedMigration> = {
  getMigrations: () => Promise.resolve(MIGRATIONS),
  getMigrationName: ({ name }) => name,
  getMigration: ({ migration }) => Promise.resolve(migration),
};
