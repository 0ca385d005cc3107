/**
 * All groups. What needs all resources of the product reads this list, and is handed it: runtime, workers, scripts, the
 * embedded start. Nothing else imports it.
 */
import { accountsGroup } from './accounts/index.ts';
import type { RightsOfTables } from './db/grants.ts';
import { erasuresGroup } from './erasures/index.ts';
import { exceptionsGroup } from './exceptions/index.ts';
import type { Group } from './group/group.ts';
import { idempotencyGroup } from './idempotency/index.ts';
import { journalGroup } from './journal/index.ts';
import { type DeclaredTable, isTable } from './ledger/rows/table-of.ts';
import { organisationsGroup } from './organisations/index.ts';
import { outsideGroup } from './outside/index.ts';
import { paymentsGroup } from './payments/index.ts';
import { payoutsGroup } from './payouts/index.ts';
import { proofsGroup } from './proofs/index.ts';
import { webhooksGroup } from './webhooks/index.ts';

export const GROUPS: readonly Group[] = [
  journalGroup,
  organisationsGroup,
  accountsGroup,
  payoutsGroup,
  paymentsGroup,
  outsideGroup,
  webhooksGroup,
  exceptionsGroup,
  erasuresGroup,
  idempotencyGroup,
  proofsGroup,
];

/** What the application's role may do with the tables of all groups. */
export const RIGHTS: RightsOfTables = Object.assign({}, ...GROUPS.map(({ rights }) => rights));

/** Every declared table, for who looks for columns of a kind, as `ops rekey` does. */
export const DECLARED_TABLES: readonly DeclaredTable<unknown>[] = GROUPS.flatMap(({ tables }) => tables).filter(
  isTable,
);
