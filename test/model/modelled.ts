/**
 * Which part of each model drives a resource, or why none does. test/unit/groups.test.ts compares it with what the groups
 * declare: a new resource that books is driven, or it says here why not. One that moves no money need not stand here.
 */
import type { Part } from './part.ts';
import { accountHoldsPart } from './parts/account-holds/part.ts';
import { accountsPart } from './parts/accounts/part.ts';
import { cardsPart } from './parts/cards/part.ts';
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

const TRANSACTIONS: Modelled = {
  ledger: cardsPart,
  schedule:
    'Each message is one command, and repeats are told apart by its reference; no schedule drives processors yet.',
};

const RECONCILIATION: Modelled = {
  ledger:
    'They stand in the operator’s books alone, which no model drives yet: test/db/reconciliation plays the golden scenarios.',
  schedule:
    'A file is taken by one process, and taken again it goes on: test/db/reconciliation. No schedule drives files of banks yet.',
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
  transaction_message: TRANSACTIONS,
  transaction_dispute: TRANSACTIONS,
  scheme_settlement: {
    ...TRANSACTIONS,
    ledger:
      'It moves whatever stands on one account: the golden scenarios play it, and an equation of verify compares it.',
  },
  bank_account: RECONCILIATION,
  bank_statement: RECONCILIATION,
  bank_match: RECONCILIATION,
  acquirer_report: RECONCILIATION,
  fee_collection: {
    ledger: 'It moves whatever stands on one account at the end of a day: test/db/reconciliation/fees.test.ts.',
    schedule: 'Each collection is one command that moves its own day on: test/db/reconciliation/fees.test.ts kills it.',
  },
  book_mirror: RECONCILIATION,
  webhook_endpoint: {
    ledger: 'An endpoint moves no money, and its deliveries are written by the same commit as every event.',
    schedule: scheduledWebhooks,
  },
  entry: {
    ledger: 'A model of their own drives entries, reversals and captures: test/unit/journal/entry-model.test.ts.',
    schedule: 'An entry is one command, and its key tells a repeat: no further process moves it.',
  },
  exception: {
    ledger:
      'Payouts and payments open exceptions, whose events are compared; what people do with them has no part yet.',
    schedule: 'Payouts open exceptions, which are counted with them; what people do with them has no part yet.',
  },
};
