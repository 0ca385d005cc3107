import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { allowedOnToken, CARD_TOKEN_TRANSITIONS } from './card-token.ts';
import { cardTokens, type StoredCardToken } from './card-token-table.ts';

export const cardTokenResource: Resource<StoredCardToken, Shown> = {
  name: 'card_token',
  table: cardTokens,
  parent: { name: 'card', column: 'card_id' },
  events: [
    'card_token.requested',
    'card_token.activated',
    'card_token.suspended',
    'card_token.resumed',
    'card_token.deactivated',
  ],
  books: false,
  phrase: 'token of a card',
  changed: (token, change) => ({ ...token, ...change }),
  transitions: CARD_TOKEN_TRANSITIONS,
  allowedActions: allowedOnToken,
  view: (token, { livemode }) => cardTokenView(token, livemode),
};

function cardTokenView(token: StoredCardToken, livemode: boolean) {
  return {
    id: publicId('cardToken', token.id),
    object: 'card_token',
    livemode,
    status: token.status,
    card: publicId('card', token.cardId),
    account: publicId('account', token.accountId),
    token_reference: token.tokenReference,
    network: token.network,
    wallet: token.wallet,
    requestor_id: token.requestorId,
    last_four: token.lastFour,
    device: deviceOf(token),
    recommendation: token.recommendation,
    verifying: token.isVerifying,
    deactivated_reason: token.deactivatedReason,
    allowed_actions: allowedOnToken(token),
    request_id: publicId('request', token.requestId),
    version: token.version,
    created_at: formatInstant(token.createdAt),
    updated_at: formatInstant(token.updatedAt),
  };
}

/** Null where the network names no device, as for merchants. */
function deviceOf({ id, deviceType, deviceName, deviceId, textSalt }: StoredCardToken) {
  if (deviceType === null) return null;
  const owner = textSalt && { object: 'card_token' as const, objectId: id, salt: textSalt };
  return {
    type: deviceType,
    device_name: owner ? personal(owner, 'device_name', deviceName) : deviceName,
    id: deviceId,
  };
}
