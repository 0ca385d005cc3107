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
import * as personalText from './0020-personal-text.ts';
import * as events from './0021-events.ts';
import * as contract from './0022-contract.ts';
import * as people from './0023-people.ts';
import * as books from './0024-books.ts';
import * as holds from './0025-holds.ts';
import * as payouts from './0026-payouts.ts';
import * as exceptions from './0027-exceptions.ts';
import * as evidence from './0028-evidence.ts';
import * as payments from './0029-payments.ts';
import * as disputes from './0030-disputes.ts';
import * as tokensAndReaders from './0031-tokens-and-readers.ts';
import * as settlements from './0032-settlements.ts';
import * as sandboxAcquirer from './0033-sandbox-acquirer.ts';
import * as partnerNotices from './0034-partner-notices.ts';
import * as webhookRecovery from './0035-webhook-recovery.ts';

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
  { name: '0020-personal-text', migration: personalText },
  { name: '0021-events', migration: events },
  { name: '0022-contract', migration: contract },
  { name: '0023-people', migration: people },
  { name: '0024-books', migration: books },
  { name: '0025-holds', migration: holds },
  { name: '0026-payouts', migration: payouts },
  { name: '0027-exceptions', migration: exceptions },
  { name: '0028-evidence', migration: evidence },
  { name: '0029-payments', migration: payments },
  { name: '0030-disputes', migration: disputes },
  { name: '0031-tokens-and-readers', migration: tokensAndReaders },
  { name: '0032-settlements', migration: settlements },
  { name: '0033-sandbox-acquirer', migration: sandboxAcquirer },
  { name: '0034-partner-notices', migration: partnerNotices },
  { name: '0035-webhook-recovery', migration: webhookRecovery },
];

export const migrationSource: Knex.MigrationSource<NamedMigration> = {
  getMigrations: () => Promise.resolve(MIGRATIONS),
  getMigrationName: ({ name }) => name,
  getMigration: ({ migration }) => Promise.resolve(migration),
};
