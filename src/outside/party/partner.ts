/**
 * A partner: a party that sends its notices by HTTP (`POST /partners/{name}/notices`), signed as Standard Webhooks.
 * Acquirers, processors and rails share one name space.
 * Next: partner-notice-store.ts (messages as received), copy-notices.ts (how they reach the inbox).
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { SigningKey } from '../../values/standard-webhooks.ts';

export interface Partner {
  readonly name: string;
  /** One valid signature is enough: several keys during a rotation. */
  readonly noticeKeys: readonly SigningKey[];
}

/**
 * The prefix of the `webhook-id` of every message that we sign for a partner. Both sides share the secrets, and the id
 * is signed: so each message names its direction, and ours is not accepted as a notice when it is sent back to us.
 */
export const CALL_ID_PREFIX = 'call_';

/** A message whose signature was verified. Its body has not been read. */
export interface PartnerMessage {
  readonly partner: string;
  /** The partner's own id of the message: `webhook-id`. */
  readonly webhookId: string;
  readonly body: string;
}

/** A stored message. */
export interface PartnerNotice {
  /** Of this installation: time-ordered. */
  readonly id: Uuid;
  readonly body: string;
  readonly receivedAt: Instant;
}
