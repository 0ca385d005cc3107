/**
 * All groups. What needs all resources of the product reads this list, and is handed it: runtime, the list of routes,
 * workers, scripts, the embedded start. Nothing else imports it.
 */
import { accountsGroup } from './accounts/index.ts';
import { cardsGroup } from './cards/index.ts';
import type { RightsOfTables } from './db/grants.ts';
import { erasuresGroup } from './erasures/index.ts';
import { exceptionsGroup } from './exceptions/index.ts';
import { type Group, rightsOfGroup, tablesOf } from './group/group.ts';
import { idempotencyGroup } from './idempotency/index.ts';
import { inboundGroup } from './inbound/index.ts';
import { journalGroup } from './journal/index.ts';
import type { DeclaredResource } from './ledger/resources/declared-resource.ts';
import { type DeclaredLog, type DeclaredTable, isTable } from './ledger/rows/table-of.ts';
import { organisationsGroup } from './organisations/index.ts';
import { outsideGroup } from './outside/index.ts';
import { paymentsGroup } from './payments/index.ts';
import { payoutsGroup } from './payouts/index.ts';
import { proofsGroup } from './proofs/index.ts';
import { railsGroup } from './rails/index.ts';
import { reconciliationGroup } from './reconciliation/index.ts';
import { reportsGroup } from './reports/index.ts';
import { transactionsGroup } from './transactions/index.ts';
import { webhooksGroup } from './webhooks/index.ts';

export const GROUPS: readonly Group[] = [
  journalGroup,
  organisationsGroup,
  accountsGroup,
  inboundGroup,
  payoutsGroup,
  paymentsGroup,
  cardsGroup,
  transactionsGroup,
  reconciliationGroup,
  outsideGroup,
  railsGroup,
  webhooksGroup,
  exceptionsGroup,
  erasuresGroup,
  idempotencyGroup,
  proofsGroup,
  reportsGroup,
];

/** What the application's role may do with the tables of all groups. */
export const RIGHTS: RightsOfTables = Object.assign({}, ...GROUPS.map(rightsOfGroup));

export const RESOURCES: readonly DeclaredResource[] = GROUPS.flatMap(({ resources }) => resources);

/** Every table and log that commands write. */
export const TABLES_AND_LOGS: readonly (DeclaredTable<unknown> | DeclaredLog<unknown>)[] = GROUPS.flatMap(tablesOf);

/** Every declared table, for who looks for columns of a kind, as `ops rekey` does. */
export const DECLARED_TABLES: readonly DeclaredTable<unknown>[] = TABLES_AND_LOGS.filter(isTable);
