/** Checkpoints in tests, with generated keys. */
import { randomBytes } from 'node:crypto';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createLogger } from '../../src/process/log.ts';
import type { Checkpoint } from '../../src/proofs/checkpoint.ts';
import { makeCheckpoint } from '../../src/proofs/make-checkpoint.ts';
import { type SigningKey, signingKeyFrom } from '../../src/proofs/signing-key.ts';
import { systemClock } from '../../src/values/clock.ts';
import type { TestDatabase } from './postgres.ts';

/** A seed of 32 bytes in base64, as CHECKPOINT_SIGNING_KEY takes it. */
export function newSigningSeed(): string {
  return randomBytes(32).toString('base64');
}

export function newSigningKey(): SigningKey {
  return signingKeyFrom(newSigningSeed());
}

/** A pool of the role that adds checkpoints. */
export function openSignerPool(database: Pick<TestDatabase, 'signerUrl'>): Pool {
  return createPool({ url: database.signerUrl, name: 'test', size: 4, log: createLogger('silent', 'test') });
}

/** Makes a checkpoint of a book. The pool is the signer's or a superuser's. */
export async function checkpointNow(pool: Pool, bookId: string, key = newSigningKey()): Promise<Checkpoint> {
  return (await makeCheckpoint({ pool, clock: systemClock, key }, bookId))!.checkpoint;
}

/** The same, with a signer pool of its own. */
export async function checkpointIn(
  database: Pick<TestDatabase, 'signerUrl'>,
  bookId: string,
  key?: SigningKey,
): Promise<Checkpoint> {
  const pool = openSignerPool(database);
  try {
    return await checkpointNow(pool, bookId, key);
  } finally {
    await pool.end();
  }
}
