/** The rows of messages. One is written once, in the commit that takes it, and never changes. */
import type { CheckResult } from '../../cards/card/card-pin.ts';
import type { ThreeDSecureResult } from '../../cards/decision/decision-input.ts';
import type { EntryMode } from '../../cards/purchase/purchase-facts.ts';
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { logOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { type DecidedRequest, isRequest, type Message } from './message.ts';
import type { StoredDecision } from './stored-decision.ts';

/** How the card was presented and what was checked, by a request or an advice. */
export interface MessageChecks {
  readonly entryMode: EntryMode | null;
  readonly cvvResult: CheckResult | null;
  readonly pinResult: CheckResult | null;
  readonly expiryResult: CheckResult | null;
  readonly avsResult: CheckResult | null;
  readonly threeDSecure: { readonly result: ThreeDSecureResult; readonly eci: string | null } | null;
}

export interface StoredMessage {
  readonly id: Uuid;
  readonly transactionId: Uuid;
  /** Counts from 1 in its purchase. */
  readonly ordinal: number;
  /** The order in which the book has decided. A reversal that waits has no event yet: this is the number of the next one. */
  readonly eventSequence: bigint;
  readonly cardId: Uuid;
  readonly tokenId: Uuid | null;
  /** Its own: a request in another currency than its account's is declined. */
  readonly currency: string;
  readonly message: Message;
  /** Null of messages that do not ask for anything. */
  readonly checks: MessageChecks | null;
  readonly decision: StoredDecision | null;
  readonly flags: readonly string[];
  /** The scheme's charge or reward for the clearing: a fact of the line, booked nowhere. Minor units, signed. */
  readonly interchange: bigint | null;
  readonly businessDate: string | null;
  readonly requestId: Uuid;
  readonly createdAt: Instant;
}

/** What the message is in columns of its own: those of its type, null in all others. */
interface MessageColumns {
  readonly kind: string | null;
  readonly form: string | null;
  readonly amount: bigint | null;
  readonly cashback: bigint | null;
  readonly merchantAmount: bigint | null;
  readonly merchantCurrency: string | null;
  readonly isPartialAllowed: boolean | null;
  readonly reason: string | null;
  readonly advised: string | null;
  readonly isApproved: boolean | null;
  readonly approvedAmount: bigint | null;
  readonly authorizedAmount: bigint | null;
  readonly authorizedMerchantAmount: bigint | null;
  readonly authorizedMerchantCurrency: string | null;
  readonly declineCode: string | null;
  readonly sequenceNumber: number | null;
  readonly sequenceCount: number | null;
  readonly isFinal: boolean | null;
  readonly reverses: string | null;
}

const NONE: MessageColumns = {
  kind: null,
  form: null,
  amount: null,
  cashback: null,
  merchantAmount: null,
  merchantCurrency: null,
  isPartialAllowed: null,
  reason: null,
  advised: null,
  isApproved: null,
  approvedAmount: null,
  authorizedAmount: null,
  authorizedMerchantAmount: null,
  authorizedMerchantCurrency: null,
  declineCode: null,
  sequenceNumber: null,
  sequenceCount: null,
  isFinal: null,
  reverses: null,
};

function columnsOf(message: Message): MessageColumns {
  if (message.type === 'expiry') return NONE;
  if ('reverses' in message) return { ...NONE, amount: message.amount, reverses: message.reverses };
  const { amount, merchant } = message;
  const columns = {
    ...NONE,
    amount,
    merchantAmount: merchant?.amount ?? null,
    merchantCurrency: merchant?.currency ?? null,
  };
  if (isRequest(message)) return { ...columns, ...requestColumns(message) };
  switch (message.type) {
    case 'advice': {
      const { kind, form, reason, of: advised, isApproved } = message;
      return { ...columns, kind, form, reason, advised, isApproved };
    }
    case 'clearing': {
      const { kind, sequence, isFinal } = message;
      const { number = null, count = null } = sequence ?? {};
      return { ...columns, kind, isFinal, sequenceNumber: number, sequenceCount: count };
    }
    default:
      return columns;
  }
}

function requestColumns({ kind, form, cashback, isPartialAllowed, decision }: DecidedRequest): Partial<MessageColumns> {
  const asked = { kind, form, cashback, isPartialAllowed, isApproved: decision.isApproved };
  if (!decision.isApproved) return { ...asked, declineCode: decision.declineCode };
  return {
    ...asked,
    approvedAmount: decision.amount,
    authorizedAmount: decision.authorized,
    authorizedMerchantAmount: decision.merchant?.amount ?? null,
    authorizedMerchantCurrency: decision.merchant?.currency ?? null,
  };
}

/** Columns are encoded one after the other: what a message is in all of them is made once. */
const made = new WeakMap<Message, MessageColumns>();

const of =
  <Name extends keyof MessageColumns>(name: Name) =>
  ({ message }: StoredMessage) => {
    let columns = made.get(message);
    if (columns === undefined) {
      columns = columnsOf(message);
      made.set(message, columns);
    }
    return columns[name];
  };

const log = logOf<StoredMessage>({
  name: 'transaction_messages',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('transaction_id', 'uuid'),
    column('ordinal', 'smallint'),
    column('event_sequence', 'bigint'),
    column('reference', 'text', ({ message }) => message.reference, {
      cardNumber: 'exempt',
      notPersonal: 'reference',
    }),
    column('type', 'code', ({ message }) => message.type),
    column('card_id', 'uuid'),
    column('token_id', 'uuid'),
    column('currency', 'code'),
    column('kind', 'code', of('kind')),
    column('form', 'code', of('form')),
    column('amount', 'bigint', of('amount')),
    column('cashback', 'bigint', of('cashback')),
    column('merchant_amount', 'bigint', of('merchantAmount')),
    column('merchant_currency', 'code', of('merchantCurrency')),
    column('is_partial_allowed', 'boolean', of('isPartialAllowed')),
    column('reason', 'code', of('reason')),
    column('advised', 'code', of('advised')),
    column('is_approved', 'boolean', of('isApproved')),
    column('approved_amount', 'bigint', of('approvedAmount')),
    column('authorized_amount', 'bigint', of('authorizedAmount')),
    column('authorized_merchant_amount', 'bigint', of('authorizedMerchantAmount')),
    column('authorized_merchant_currency', 'code', of('authorizedMerchantCurrency')),
    column('decline_code', 'code', of('declineCode')),
    column('sequence_number', 'smallint', of('sequenceNumber')),
    column('sequence_count', 'smallint', of('sequenceCount')),
    column('is_final', 'boolean', of('isFinal')),
    column('reverses', 'text', of('reverses'), { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('checks', 'jsonb', { notPersonal: 'facts' }),
    column('decision', 'jsonb', { notPersonal: 'facts', cardNumber: 'exempt' }),
    column('flags', 'jsonb', { notPersonal: 'facts' }),
    column('interchange', 'bigint'),
    column('business_date', 'code'),
    column('request_id', 'uuid'),
    column('created_at', 'timestamptz'),
  ],
});

/** A row is only appended. Who looks for one has its id. */
export const transactionMessages = { ...log, key: 'id' };
