/** Every group on the wire, in the order in which its scenes are played and its objects are made. */
import { accountsOnWire } from './accounts.ts';
import { conventionsOnWire } from './conventions.ts';
import { erasuresOnWire } from './erasures.ts';
import { exceptionsOnWire } from './exceptions.ts';
import type { GroupOnWire } from './group.ts';
import { holdsOnWire } from './holds.ts';
import { journalOnWire } from './journal.ts';
import { paymentsOnWire } from './payments.ts';
import { disputesOnWire } from './payments-disputes.ts';
import { settlementsOnWire } from './payments-settlements.ts';
import { paymentTokensOnWire } from './payments-tokens.ts';
import { payoutsOnWire } from './payouts.ts';
import { webhooksOnWire } from './webhooks.ts';

export const GROUPS_ON_WIRE: readonly GroupOnWire[] = [
  accountsOnWire,
  payoutsOnWire,
  paymentsOnWire,
  settlementsOnWire,
  disputesOnWire,
  paymentTokensOnWire,
  webhooksOnWire,
  journalOnWire,
  holdsOnWire,
  conventionsOnWire,
  exceptionsOnWire,
  erasuresOnWire,
];
