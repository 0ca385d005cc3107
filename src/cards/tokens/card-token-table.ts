/** The rows of tokens, with the wallet and device that asked for one, as the network reported them. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { CardToken } from './card-token.ts';

export const WALLETS = ['apple_pay', 'google_pay', 'samsung_pay', 'merchant', 'other'] as const;

export type Wallet = (typeof WALLETS)[number];

export const DEVICE_TYPES = ['phone', 'watch', 'tablet', 'computer', 'vehicle', 'other'] as const;

/** What the wallet and the network advise: `verify` where they are not sure of the cardholder. */
export const RECOMMENDATIONS = ['approve', 'verify', 'decline'] as const;

export interface StoredCardToken extends CardToken {
  /** The card that it was requested for. It pays with the card of the line that cardOfToken names. */
  readonly cardId: Uuid;
  readonly accountId: Uuid;
  /** The processor's or network's own name of the token. */
  readonly tokenReference: string;
  readonly network: string | null;
  readonly wallet: Wallet;
  readonly requestorId: string | null;
  /** Of the token's own number. */
  readonly lastFour: string | null;
  readonly deviceType: (typeof DEVICE_TYPES)[number] | null;
  readonly deviceName: string | null;
  readonly deviceId: string | null;
  readonly recommendation: (typeof RECOMMENDATIONS)[number] | null;
  /** The network verifies the cardholder, and then activates the token or does not. */
  readonly isVerifying: boolean;
  readonly deactivatedReason: 'declined' | 'requested' | 'card_closed' | null;
  /** Of the name of the device. */
  readonly textSalt: Buffer | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const cardTokens = tableOf<StoredCardToken>({
  name: 'card_tokens',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('line_id', 'uuid'),
    column('card_id', 'uuid'),
    column('account_id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('token_reference', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('network', 'code'),
    column('wallet', 'code'),
    column('requestor_id', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('last_four', 'text', { notPersonal: 'masked' }),
    column('device_type', 'code'),
    column('device_name', 'text', { cardNumber: 'masked', personal: true }),
    column('device_id', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('recommendation', 'code'),
    column('is_verifying', 'boolean', { changes: true }),
    column('deactivated_reason', 'code', { changes: true }),
    column('text_salt', 'bytea'),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
