/**
 * One key, one answer. The row is written in the same database transaction as its command, so no row is "in progress":
 * a duplicate queues behind the book's lock and finds the answer.
 */

import type { Answered } from '../ledger/command/command.ts';
import type { Instant } from '../values/clock.ts';
import { deriveId, type ResourceName, resourceReference, type Uuid } from '../values/ids.ts';
import type { WrittenJson } from '../values/json.ts';

export interface IdempotencyRecord {
  readonly key: string;
  /** Of the first request's method, path and canonical body, as stored (fingerprints.ts). Empty for a voided key. */
  readonly fingerprint: Buffer;
  /** The first answer. Null for a voided key; the body is null, too, once the retention time has passed. */
  readonly status: number | null;
  readonly body: string | null;
  /**
   * A body that refers to an event (event-answer.ts) has no references. The references that the body may be filled in
   * with (ledger/rows/personal-text.ts); null where it contains all of its text.
   */
  readonly textReferences: string | null;
  readonly resource: NonNullable<Stored['resource']> | null;
  readonly resourceId: Uuid | null;
  readonly requestId: Uuid;
  readonly voidedAt: Instant | null;
  readonly createdAt: Instant;
}

/** An answer as stored and sent. */
export interface Stored extends Answered {
  readonly status: number;
  /** Written by writeJson: sent in one form, stored in the other. */
  readonly body: WrittenJson;
  /** The resource that the request made or changed. Voiding a key makes nothing: then there is no id. */
  readonly resource?: ResourceName | 'idempotency_key';
  readonly resourceId?: Uuid;
}

/** The resource of a key, as answers name it. */
export function keyReference({ resource, resourceId }: IdempotencyRecord): string | null {
  return resource === null || resourceId === null ? null : resourceReference(resource, resourceId);
}

/**
 * The key of a request that the caller sent without one, so that an attempt after a lost commit answer also finds the
 * first answer. The space keeps it apart: a caller's key has visible characters only.
 */
export function internalKey(commandId: Uuid): string {
  return ` ${commandId}`;
}

/**
 * The key of a processor's message, which names itself. A digest keeps it apart from callers' keys and from those of
 * commands, and has no digits of the reference, which may look like a card number.
 */
export function messageKey(reference: string): string {
  return `${MESSAGES}${deriveId('message_reference', reference)}`;
}
const MESSAGES = ' message ';

/** Only an answer of 200 takes the reference of a message: what is refused may come again. */
export function isMessageKey(key: string): boolean {
  return key.startsWith(MESSAGES);
}
