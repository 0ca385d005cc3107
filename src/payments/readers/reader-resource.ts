import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import {
  allowedOnAction,
  allowedOnReader,
  READER_ACTION_TRANSITIONS,
  READER_TRANSITIONS,
  type Reader,
  type ReaderAction,
} from './reader.ts';
import { readerActions, readers } from './reader-table.ts';

export const readerResource: Resource<Reader, Shown> = {
  name: 'reader',
  table: readers,
  parent: null,
  events: [],
  books: false,
  changed: (reader, change) => ({ ...reader, ...change }),
  transitions: READER_TRANSITIONS,
  allowedActions: allowedOnReader,
  // A deletion of a busy reader is refused as `reader_busy`, with the action that it is busy with.
  unlistedActions: ['update', 'delete'],
  isGone: ({ status }) => status === 'removed',
  view: (reader, { livemode }) => readerView(reader, livemode),
};

export const readerActionResource: Resource<ReaderAction, Shown> = {
  name: 'reader_action',
  phrase: 'action of a reader',
  table: readerActions,
  parent: { name: 'reader', column: 'reader_id' },
  events: ['reader_action.succeeded', 'reader_action.failed', 'reader_action.canceled'],
  books: false,
  changed: (action, change) => ({ ...action, ...change }),
  transitions: READER_ACTION_TRANSITIONS,
  allowedActions: allowedOnAction,
  view: (action, { livemode }) => readerActionView(action, livemode),
};

function readerView(reader: Reader, livemode: boolean) {
  const { id, label, metadata, textSalt } = reader;
  const owner = textSalt && { object: 'reader' as const, objectId: id, salt: textSalt };
  return {
    id: publicId('reader', id),
    object: 'reader',
    livemode,
    status: reader.actionId === null ? 'ready' : 'busy',
    label: owner ? personal(owner, 'label', label) : label,
    action: publicIdOrNull('readerAction', reader.actionId),
    metadata: owner ? personal(owner, 'metadata', metadata) : metadata,
    allowed_actions: allowedOnReader(reader),
    request_id: publicId('request', reader.requestId),
    version: reader.version,
    created_at: formatInstant(reader.createdAt),
    updated_at: formatInstant(reader.updatedAt),
  };
}

function readerActionView(action: ReaderAction, livemode: boolean) {
  return {
    id: publicId('readerAction', action.id),
    object: 'reader_action',
    livemode,
    status: action.status,
    reader: publicId('reader', action.readerId),
    payment: publicId('payment', action.paymentId),
    amount: action.amount,
    currency: action.currency,
    currency_exponent: currencyExponent(action.currency),
    entry_mode: action.entryMode,
    failure: action.failure,
    expires_at: formatInstant(action.expiresAt),
    allowed_actions: allowedOnAction(action),
    request_id: publicId('request', action.requestId),
    version: action.version,
    created_at: formatInstant(action.createdAt),
    updated_at: formatInstant(action.updatedAt),
  };
}
