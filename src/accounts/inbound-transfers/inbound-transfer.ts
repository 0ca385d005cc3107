/**
 * An inbound transfer: money that arrived at the pool for an account. Booked with its row, once by the bank's reference of its credit
 * (src/inbound/).
 */

import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type InboundTransferStatus =
  /** Booked. A credit of a bank makes it, or a simulation. */
  | 'received'
  /** The bank has taken it back, whatever its account has. Reconciliation moves it here. Final. */
  | 'returned';

export const INBOUND_TRANSFER_TRANSITIONS: Transitions<InboundTransferStatus> = {
  received: ['returned'],
  returned: [],
};

export const INBOUND_TRANSFER_STATUSES = Object.keys(INBOUND_TRANSFER_TRANSITIONS) as readonly InboundTransferStatus[];

/** What a bank reports of a credit. */
export interface BankFacts {
  /** The bank's own: it names the credit in every file. */
  readonly bankReference: string | null;
  /** The payer's. */
  readonly endToEndId: string | null;
  /** Masked, as is the account. */
  readonly payerName: string | null;
  readonly payerAccount: string | null;
  readonly remittance: string | null;
  /** `2027-03-30`. */
  readonly valueOn: string | null;
  readonly bookedOn: string | null;
}

export interface InboundTransfer extends BankFacts {
  readonly id: Uuid;
  readonly status: InboundTransferStatus;
  readonly accountId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  readonly description: string | null;
  /** Hides the texts behind their references (ledger/rows/personal-text.ts). Null without any. */
  readonly textSalt: Buffer | null;
  /** Null in an older row, whose entry names its transfer. */
  readonly entryId: Uuid | null;
  readonly returnEntryId: Uuid | null;
  /** Of an opening balance: the file that it stands in. Null of any other. */
  readonly openingId: Uuid | null;
  /** Of what the operator bears for the account (src/inbound/write-offs/). Null of any other. */
  readonly writeOffId: Uuid | null;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
