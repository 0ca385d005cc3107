/** Lines of a bank's file: statuses of a pain.002, entries of a camt.054. */

export type BankLine = StatusLine | EntryLine;

/** The ids by which a bank names our payments. Undefined where the line leaves them out. */
export interface LineIds {
  readonly endToEndId?: string | undefined;
  readonly instructionId?: string | undefined;
  readonly paymentInformationId?: string | undefined;
  /** MsgId of our pain.001. */
  readonly messageId?: string | undefined;
}

export interface StatusLine extends LineIds {
  readonly type: 'status';
  /** Place in the file, counted from 1. */
  readonly place: number;
  readonly level: 'transaction' | 'payment' | 'group';
  /** As the bank writes it: ACSP, RJCT, … */
  readonly status: string;
  readonly reason: string | undefined;
  /** MsgId of the pain.002. */
  readonly reportId: string;
}

export interface EntryLine extends LineIds {
  readonly type: 'entry';
  readonly place: number;
  readonly direction: 'debit' | 'credit';
  /** RvslInd: the entry takes back an earlier one. */
  readonly isReversal: boolean;
  /** Only what is booked counts. */
  readonly isBooked: boolean;
  /** A duplicate or a copy of another notification: it informs. */
  readonly isCopy: boolean;
  /** Of the transaction, minor units; undefined where it is no amount of the currency. */
  readonly amount: bigint | undefined;
  readonly currency: string;
  /** Charges that the details name, in the same currency, minor units. */
  readonly charges: bigint;
  /** How many transactions its entry shows. 0: the entry alone, a sum. */
  readonly transactions: number;
  /** Place of the entry among those of the file, counted from 1. */
  readonly entry: number;
  /** The account of the notification: the scope of the bank's references. */
  readonly account: string;
  /** All names of that account. As it was read: that one. */
  readonly accountNames?: readonly string[];
  /** The bank's own: of an entry with one transaction or none, else of the transaction. */
  readonly bankReference: string | undefined;
  /** Of a return. */
  readonly reason: string | undefined;
  readonly bookedOn: string | undefined;
  readonly valueOn: string | undefined;
  /** Of a credit: who paid, in clear. */
  readonly payerName: string | undefined;
  readonly payerAccount: string | undefined;
  /** Texts and structured references of the remittance. */
  readonly remittance: readonly string[];
}
