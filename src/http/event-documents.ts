/** Every event that this release sends. A filter may already name events of later releases. */
import { accountEvents } from '../accounts/api/account-events.ts';
import { holdEvents } from '../accounts/api/hold-events.ts';
import type { EventDocument } from '../api/event-document.ts';
import { erasureEvents } from '../erasures/api/erasure-events.ts';
import { exceptionEvents } from '../exceptions/api/exception-events.ts';
import { payoutEvents } from '../payouts/api/payout-events.ts';
import { endpointEvents, testEvents } from '../webhooks/api/endpoint-events.ts';

export const EVENT_DOCUMENTS: readonly EventDocument[] = [
  accountEvents,
  holdEvents,
  payoutEvents,
  exceptionEvents,
  endpointEvents,
  erasureEvents,
  testEvents,
];
