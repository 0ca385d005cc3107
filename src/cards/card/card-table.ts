/**
 * The rows of cards: card.ts, which decisions read, and members that are shown. No number, no security code, no PIN.
 */
import { column, type RowOf } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Card } from './card.ts';

export interface StoredCard extends Card {
  /**
   * How many cards and tokens its line has ever had: of the first card of a line, which every command touches that adds one. Who has read a
   * line sees by it whether the reading still holds (../lines/read-line.ts). 1 and 0 elsewhere.
   */
  readonly lineCards: number;
  readonly lineTokens: number;
  /** Of the account. */
  readonly currency: string;
  readonly processor: string;
  /** Null until the processor has issued it, as network. */
  readonly lastFour: string | null;
  readonly network: string | null;
  /** Name and billing address, for the processor (cardholder.ts). Null once they are erased. */
  readonly cardholderSealed: Buffer | null;
  readonly cardholderMasked: string | null;
  /** The integrator's own reference of its cardholder. */
  readonly cardholderReference: string | null;
  /** Where it is sent. Null for a card that is not sent, and once it is erased. */
  readonly shippingSealed: Buffer | null;
  readonly externalId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Null where nothing of it is personal text. */
  readonly textSalt: Buffer | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Every attempt sends name and address to the processor, until it has issued the card or refused to. */
const IS_BEING_ISSUED = "last_four IS NULL AND closed_reason IS DISTINCT FROM 'not_issued'";

export const cards = tableOf<StoredCard>({
  name: 'cards',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('line_id', 'uuid'),
    column('line_cards', 'integer', { changes: true }),
    column('line_tokens', 'integer', { changes: true }),
    column('status', 'code', { changes: true, filter: true }),
    column('type', 'code'),
    column('account_id', 'uuid', { filter: true }),
    column('currency', 'code'),
    column('processor', 'code'),
    column('card_reference', 'text', { cardNumber: 'exempt', notPersonal: 'reference', changes: true }),
    column('last_four', 'text', { notPersonal: 'masked', changes: true }),
    column('network', 'code', { changes: true }),
    column('exp_month', 'smallint', { changes: true }),
    column('exp_year', 'smallint', { changes: true }),
    column('pin_status', 'code', { changes: true }),
    column('pin_failures', 'smallint', { changes: true }),
    column('shipping_status', 'code', { changes: true }),
    column('replacement_for', 'uuid'),
    column('replacement_reason', 'code'),
    column('replaced_by', 'uuid', { changes: true }),
    column('closed_reason', 'code', { changes: true }),
    column('locked_to', 'jsonb', { cardNumber: 'exempt', notPersonal: 'reference', changes: true }),
    column('cardholder_sealed', 'bytea', {
      sealed: true,
      personal: true,
      neededWhile: IS_BEING_ISSUED,
      changes: true,
    }),
    column('cardholder_masked', 'text', { personal: true, changes: true }),
    column('cardholder_reference', 'text', { personal: true, neededWhile: IS_BEING_ISSUED, changes: true }),
    column('shipping_sealed', 'bytea', { sealed: true, personal: true, neededWhile: IS_BEING_ISSUED }),
    column('external_id', 'text', { notPersonal: 'own_reference', filter: true, changes: true }),
    column('metadata', 'jsonb', { personal: true, changes: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
  // An object literal: a fortieth of the time of a loop over the columns, and every message of a card reads one.
  fromRow: (row: RowOf<StoredCard>): StoredCard => ({
    id: row.id,
    lineId: row.line_id,
    lineCards: row.line_cards,
    lineTokens: row.line_tokens,
    status: row.status,
    type: row.type,
    accountId: row.account_id,
    currency: row.currency,
    processor: row.processor,
    cardReference: row.card_reference,
    lastFour: row.last_four,
    network: row.network,
    expMonth: row.exp_month,
    expYear: row.exp_year,
    pinStatus: row.pin_status,
    pinFailures: row.pin_failures,
    shippingStatus: row.shipping_status,
    replacementFor: row.replacement_for,
    replacementReason: row.replacement_reason,
    replacedBy: row.replaced_by,
    closedReason: row.closed_reason,
    lockedTo: row.locked_to,
    cardholderSealed: row.cardholder_sealed,
    cardholderMasked: row.cardholder_masked,
    cardholderReference: row.cardholder_reference,
    shippingSealed: row.shipping_sealed,
    externalId: row.external_id,
    metadata: row.metadata,
    textSalt: row.text_salt,
    requestId: row.request_id,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }),
});
