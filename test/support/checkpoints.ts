/** Checkpoints in tests: keys that are made up for the occasion. */
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/clock.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { Checkpoint } from '../../src/proofs/checkpoint.ts';
import { makeCheckpoint } from '../../src/proofs/make-checkpoint.ts';
import { type SigningKey, signingKeyFrom } from '../../src/proofs/signing-key.ts';

/** A seed of 32 bytes in base64, as CHECKPOINT_SIGNING_KEY takes it. */
export function newSigningSeed(): string {
  return randomBytes(32).toString('base64');
}

export function newSigningKey(): SigningKey {
  return signingKeyFrom(newSigningSeed());
}

/** The checkpoint of a book as it is now. */
export async function checkpointNow(pool: Pool, bookId: string, key = newSigningKey()): Promise<Checkpoint> {
  return (await makeCheckpoint({ pool, clock: systemClock, key }, bookId))!.checkpoint;
}
