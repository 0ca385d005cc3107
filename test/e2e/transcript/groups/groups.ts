/**
 * Every group on the wire, in the order in which its scenes are played and its objects are made. A file of this folder that
 * nothing here names is found, and comes behind those that are named.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { accountsOnWire } from './accounts.ts';
import { cardsOnWire } from './cards.ts';
import { conventionsOnWire } from './conventions.ts';
import { erasuresOnWire } from './erasures.ts';
import { exceptionsOnWire } from './exceptions.ts';
import type { GroupOnWire } from './group.ts';
import { holdsOnWire } from './holds.ts';
import { inboundOnWire } from './inbound.ts';
import { journalOnWire } from './journal.ts';
import { organisationsOnWire } from './organisations.ts';
import { paymentsOnWire } from './payments.ts';
import { disputesOnWire } from './payments-disputes.ts';
import { settlementsOnWire } from './payments-settlements.ts';
import { paymentTokensOnWire } from './payments-tokens.ts';
import { payoutsOnWire } from './payouts.ts';
import { batchesOnWire } from './payouts-batches.ts';
import { payeesOnWire } from './payouts-payees.ts';
import { reconciliationOnWire } from './reconciliation.ts';
import { reportsOnWire } from './reports.ts';
import { transactionsOnWire } from './transactions.ts';
import { webhooksOnWire } from './webhooks.ts';

/** The objects of each may be of accounts, payouts and payments that those before it made. */
const IN_ORDER: readonly GroupOnWire[] = [
  accountsOnWire,
  payoutsOnWire,
  payeesOnWire,
  batchesOnWire,
  paymentsOnWire,
  settlementsOnWire,
  disputesOnWire,
  paymentTokensOnWire,
  cardsOnWire,
  transactionsOnWire,
  reconciliationOnWire,
  inboundOnWire,
  webhooksOnWire,
  journalOnWire,
  reportsOnWire,
  holdsOnWire,
  conventionsOnWire,
  exceptionsOnWire,
  organisationsOnWire,
  erasuresOnWire,
];

const isGroup = (value: unknown): value is GroupOnWire =>
  typeof value === 'object' && value !== null && 'scenes' in value;

async function others(): Promise<GroupOnWire[]> {
  const files = readdirSync(import.meta.dirname).filter((file) => !['group.ts', 'groups.ts'].includes(file));
  const modules = await Promise.all(files.map((file) => import(join(import.meta.dirname, file)) as Promise<object>));
  return modules.flatMap((module) => Object.values(module).filter(isGroup)).filter((one) => !IN_ORDER.includes(one));
}

export const GROUPS_ON_WIRE: readonly GroupOnWire[] = [...IN_ORDER, ...(await others())];
