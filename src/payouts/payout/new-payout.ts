import { SENT_WITHIN_MS } from '../../outside/instructions/inquiry.ts';
import type { Moment } from '../../values/clock.ts';
import type { Payout } from './payout.ts';

/** What is known of a payout as it is made. */
export type NewPayout = Pick<
  Payout,
  | 'id'
  | 'accountId'
  | 'holdId'
  | 'amount'
  | 'fee'
  | 'currency'
  | 'rail'
  | 'destination'
  | 'payee'
  | 'description'
  | 'remittance'
  | 'purposeCode'
  | 'externalId'
  | 'metadata'
  | 'textSalt'
  | 'endToEndId'
  | 'configuration'
  | 'expectedArrival'
  | 'countedOn'
  | 'batchId'
  | 'requestId'
>;

/** A payout that is `pending`, by one object literal: rows of payouts have one hidden class (docs/decisions/hidden-classes.md). */
export function payoutOf(made: NewPayout, moment: Moment): Payout {
  return {
    id: made.id,
    status: 'pending',
    accountId: made.accountId,
    holdId: made.holdId,
    unheld: false,
    amount: made.amount,
    fee: made.fee,
    amountReturned: 0n,
    returns: 0,
    currency: made.currency,
    rail: made.rail,
    destination: made.destination,
    payee: made.payee,
    description: made.description,
    remittance: made.remittance,
    purposeCode: made.purposeCode,
    externalId: made.externalId,
    metadata: made.metadata,
    reason: null,
    textSalt: made.textSalt,
    approval: null,
    scheduledFor: null,
    endToEndId: made.endToEndId,
    outcome: null,
    inquiries: 0,
    nextInquiryAt: null,
    sentAt: null,
    failureCode: null,
    railCode: null,
    railReference: null,
    configuration: made.configuration,
    expectedArrival: made.expectedArrival,
    countedOn: made.countedOn,
    entryIds: [],
    batchId: made.batchId,
    firstEvent: null,
    firstForm: null,
    requestId: made.requestId,
    version: 1,
    pausedAt: null,
    dueAt: moment.wall + SENT_WITHIN_MS,
    createdAt: moment.book,
    updatedAt: moment.book,
  };
}
