/**
 * One key, one answer. The row is written in the database transaction of what it stands for, so there is no "in
 * progress" row: a duplicate queues behind the book's lock and finds the answer.
 */
import type { Instant } from '../clock.ts';
import type { Uuid } from '../ids.ts';

export interface IdempotencyRecord {
  readonly key: string;
  /** Of method, path and canonical body of the first request, as it is stored (fingerprints.ts). Empty for a voided key. */
  readonly fingerprint: Buffer;
  /** The first answer; null for a voided key, its body null once it is older than the retention time. */
  readonly status: number | null;
  readonly body: string | null;
  readonly resource: string | null;
  readonly resourceId: Uuid | null;
  readonly requestId: Uuid;
  readonly voidedAt: Instant | null;
  readonly createdAt: Instant;
}

/** An answer in the form in which it is kept and sent. */
export interface Stored {
  readonly status: number;
  readonly body: string;
  readonly resource?: string;
  readonly resourceId?: Uuid;
}

/**
 * Requests without a key of the caller's get one of ours, so that a try after a lost commit answer finds the first
 * answer too. The space keeps it apart: a caller's keys have visible characters only.
 */
export function internalKey(commandId: Uuid): string {
  return ` ${commandId}`;
}
