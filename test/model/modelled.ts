/**
 * Which part of each model drives a resource, or why none does. test/unit/groups.test.ts compares it with what the groups
 * declare: a new resource is driven, or it says here why not.
 */
import type { Part } from './part.ts';
import { accountHoldsPart } from './parts/account-holds/part.ts';
import { accountsPart } from './parts/accounts/part.ts';
import { paymentsPart } from './parts/payments/part.ts';
import { payoutsPart } from './parts/payouts/part.ts';
import type { SchedulePart } from './schedule/part.ts';
import { accountHoldsPart as scheduledHolds } from './schedule/parts/account-holds.ts';
import { accountsPart as scheduledAccounts } from './schedule/parts/accounts.ts';
import { payoutsPart as scheduledPayouts } from './schedule/parts/payouts.ts';
import { webhooksPart as scheduledWebhooks } from './schedule/parts/webhooks.ts';

export interface Modelled {
  /** The part of the three ledgers, or a sentence that says why there is none. */
  readonly ledger: Part | string;
  /** The part of the schedules, likewise. */
  readonly schedule: SchedulePart | string;
}

const PAYMENTS: Modelled = {
  ledger: paymentsPart,
  schedule: 'Kills at every named point check them (scripts/faults); no schedule drives acquirers yet.',
};

const MOVES_NOTHING: Modelled = {
  ledger: 'It moves no money. What payments make of it is tested with the sandbox acquirer: test/db/payments.',
  schedule: 'It changes with its payment, in the same commit; no schedule drives acquirers yet.',
};

/** By the name of the resource. */
export const MODELLED: Readonly<Record<string, Modelled>> = {
  account: { ledger: accountsPart, schedule: scheduledAccounts },
  hold: { ledger: accountHoldsPart, schedule: scheduledHolds },
  inbound_transfer: { ledger: accountsPart, schedule: scheduledAccounts },
  payout: { ledger: payoutsPart, schedule: scheduledPayouts },
  payout_return: { ledger: payoutsPart, schedule: scheduledPayouts },
  payment: PAYMENTS,
  capture: PAYMENTS,
  increment: PAYMENTS,
  void: PAYMENTS,
  refund: PAYMENTS,
  release: PAYMENTS,
  settlement: {
    ledger: paymentsPart,
    schedule:
      'A report is taken in by one process, which is killed between commands: test/db/payments/settlements.test.ts.',
  },
  dispute: PAYMENTS,
  payment_token: MOVES_NOTHING,
  reader: MOVES_NOTHING,
  reader_action: MOVES_NOTHING,
  webhook_endpoint: {
    ledger: 'An endpoint moves no money, and its deliveries are written by the same commit as every event.',
    schedule: scheduledWebhooks,
  },
  exception: {
    ledger:
      'Payouts and payments open exceptions, whose events are compared; what people do with them has no part yet.',
    schedule: 'Payouts open exceptions, which are counted with them; what people do with them has no part yet.',
  },
};
