/**
 * A partner: a party that sends its notices by HTTP (`POST /partners/{name}/notices`), signed as Standard Webhooks. Acquirers,
 * processors and rails share one name space.
 * Next: partner-notice-store.ts (what they told, as it came), copy-notices.ts (how it gets into the inbox).
 */
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { SigningKey } from '../values/standard-webhooks.ts';

export interface Partner {
  readonly name: string;
  /** One that verifies is enough: several during a rotation. */
  readonly noticeKeys: readonly SigningKey[];
}

/**
 * How the `webhook-id` of everything begins that we sign for a partner. Both sides share the secrets, and the id is signed: so a
 * message says which way it goes, and what we sent is no notice of theirs when somebody sends it back.
 */
export const CALL_ID_PREFIX = 'call_';

/** A message whose signature was verified. Its body has not been read. */
export interface PartnerMessage {
  readonly partner: string;
  /** The partner's own id of the message: `webhook-id`. */
  readonly webhookId: string;
  readonly body: string;
}

/** A message that is kept. */
export interface PartnerNotice {
  /** Of this installation: time-ordered. */
  readonly id: Uuid;
  readonly body: string;
  readonly receivedAt: Instant;
}
