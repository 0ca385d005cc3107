/**
 * The rows of purchases: the facts of their first message, and the state that follows from all messages. Every change
 * clears the mark of a row that was stuck.
 */
import type { ProgramFees } from '../../cards/program/program.ts';
import { readFees, type StoredFees, storedFees } from '../../cards/program/stored-schedule.ts';
import type { PurchaseFacts } from '../../cards/purchase/purchase-facts.ts';
import { column, type RowOf } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { MerchantAmount } from '../message/message.ts';
import type { StoredDecision } from '../message/stored-decision.ts';
import type { TransactionFlag } from './message-flags.ts';
import type { PurchaseAmounts, PurchaseStatus } from './purchase-state.ts';

/** A merchant as the first message names it, beside what rules know of it. */
export interface Merchant {
  readonly name: string;
  readonly city: string;
  readonly postalCode: string | null;
  readonly terminal: string | null;
}

export interface StoredPurchase {
  readonly id: Uuid;
  /** The network's name of the purchase, which all its messages share. */
  readonly networkReference: string;
  /** Its first message. */
  readonly begunBy: Uuid;
  readonly lineId: Uuid;
  readonly cardId: Uuid;
  readonly tokenId: Uuid | null;
  readonly accountId: Uuid;
  readonly currency: string;
  readonly status: PurchaseStatus;
  readonly facts: PurchaseFacts;
  readonly merchant: Merchant;
  readonly tolerancePercent: number;
  readonly fees: ProgramFees;
  readonly amounts: PurchaseAmounts;
  /** Something is left for the expiry to end. */
  readonly isOpen: boolean;
  /** Of what is held, in the merchant's currency. Null where nothing is, or where the messages do not agree on one. */
  readonly merchantLeft: MerchantAmount | null;
  readonly firstUsedAt: Instant | null;
  /** How many it has. */
  readonly messages: number;
  readonly disputes: number;
  readonly holds: number;
  /** The last of its holds. */
  readonly holdId: Uuid | null;
  /** What was decided last. Null until something was. */
  readonly decision: StoredDecision | null;
  /** Of all its messages, in the order in which they are shown. */
  readonly flags: readonly TransactionFlag[];
  readonly resembles: Uuid | null;
  /** Null once it was erased. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Null until it has metadata. */
  readonly textSalt: Buffer | null;
  readonly requestId: Uuid;
  readonly version: number;
  /** Until when its authorization lasts. */
  readonly lastsUntil: Instant;
  /** The same, while something is left to end by then. */
  readonly expiresAt: Instant | null;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

type Spread = 'facts' | 'fees' | 'amounts' | 'merchantLeft';

type PurchaseRow = RowOf<Omit<StoredPurchase, Spread> & PurchaseFacts & PurchaseAmounts> & {
  readonly fees: StoredFees;
  readonly merchant_left: bigint | null;
  readonly merchant_currency: string | null;
};

export const transactions = tableOf<StoredPurchase>({
  name: 'transactions',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('id', 'uuid'),
    column('network_reference', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('begun_by', 'uuid'),
    column('line_id', 'uuid'),
    column('card_id', 'uuid'),
    column('token_id', 'uuid'),
    column('account_id', 'uuid'),
    column('currency', 'code'),
    column('status', 'code', { changes: true }),
    // A verification may come before what is verified.
    column('kind', 'code', ({ facts }) => facts.kind, { changes: true }),
    column('mcc', 'code', ({ facts }) => facts.mcc),
    column('country', 'code', ({ facts }) => facts.country),
    column('merchant_id', 'text', ({ facts }) => facts.merchantId, { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('acquirer_id', 'text', ({ facts }) => facts.acquirerId, { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('merchant', 'jsonb', {
      cardNumber: 'masked',
      references: ['postalCode', 'terminal'],
      notPersonal: 'proof',
    }),
    column('entry_mode', 'code', ({ facts }) => facts.entryMode, { changes: true }),
    column('tolerance_percent', 'smallint'),
    column('fees', 'jsonb', ({ fees }) => storedFees(fees), { notPersonal: 'facts', cardNumber: 'exempt' }),
    column('authorized', 'bigint', ({ amounts }) => amounts.authorized, { changes: true }),
    column('reversed', 'bigint', ({ amounts }) => amounts.reversed, { changes: true }),
    column('held', 'bigint', ({ amounts }) => amounts.held, { changes: true }),
    column('fee_held', 'bigint', ({ amounts }) => amounts.feeHeld, { changes: true }),
    column('cleared', 'bigint', ({ amounts }) => amounts.cleared, { changes: true }),
    column('refunded', 'bigint', ({ amounts }) => amounts.refunded, { changes: true }),
    column('disputed', 'bigint', ({ amounts }) => amounts.disputed, { changes: true }),
    column('fee', 'bigint', ({ amounts }) => amounts.fee, { changes: true }),
    column('fx_difference', 'bigint', ({ amounts }) => amounts.fxDifference, { changes: true }),
    column('is_open', 'boolean', { changes: true }),
    column('merchant_left', 'bigint', ({ merchantLeft }) => merchantLeft?.amount ?? null, { changes: true }),
    column('merchant_currency', 'code', ({ merchantLeft }) => merchantLeft?.currency ?? null, { changes: true }),
    column('first_used_at', 'timestamptz', { changes: true }),
    column('messages', 'smallint', { changes: true }),
    column('disputes', 'smallint', { changes: true }),
    column('holds', 'smallint', { changes: true }),
    column('hold_id', 'uuid', { changes: true }),
    column('decision', 'jsonb', { notPersonal: 'facts', cardNumber: 'exempt', changes: true }),
    column('flags', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('resembles', 'uuid', { changes: true }),
    column('metadata', 'jsonb', { personal: true, changes: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('lasts_until', 'timestamptz', { changes: true }),
    column('expires_at', 'timestamptz', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
  fromRow: purchaseFromRow,
});

/** An object literal: a twentieth of the time of a loop over the columns, and every message reads one (docs/decisions/declared-tables.md). */
function purchaseFromRow(row: PurchaseRow): StoredPurchase {
  return {
    id: row.id,
    networkReference: row.network_reference,
    begunBy: row.begun_by,
    lineId: row.line_id,
    cardId: row.card_id,
    tokenId: row.token_id,
    accountId: row.account_id,
    currency: row.currency,
    status: row.status,
    facts: {
      kind: row.kind,
      mcc: row.mcc,
      country: row.country,
      merchantId: row.merchant_id,
      acquirerId: row.acquirer_id,
      entryMode: row.entry_mode,
    },
    merchant: row.merchant,
    tolerancePercent: row.tolerance_percent,
    fees: readFees(row.fees),
    amounts: {
      authorized: row.authorized,
      reversed: row.reversed,
      held: row.held,
      feeHeld: row.fee_held,
      cleared: row.cleared,
      refunded: row.refunded,
      disputed: row.disputed,
      fee: row.fee,
      fxDifference: row.fx_difference,
    },
    isOpen: row.is_open,
    merchantLeft: row.merchant_left === null ? null : { amount: row.merchant_left, currency: row.merchant_currency! },
    firstUsedAt: row.first_used_at,
    messages: row.messages,
    disputes: row.disputes,
    holds: row.holds,
    holdId: row.hold_id,
    decision: row.decision,
    flags: row.flags,
    resembles: row.resembles,
    metadata: row.metadata,
    textSalt: row.text_salt,
    requestId: row.request_id,
    version: row.version,
    lastsUntil: row.lasts_until,
    expiresAt: row.expires_at,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
