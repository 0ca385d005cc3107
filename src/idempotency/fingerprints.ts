/**
 * Fingerprints of requests, as stored. A plain digest (SHA-256) can be guessed: a reader of a dump knows all of a
 * request but its alias, and can try aliases until a digest fits. So an HMAC of the digest is stored, under a key of
 * the installation that is itself sealed in the database. Plain digests of earlier rows are matched too:
 * operations/rekey.ts keys such a row later, without its request.
 *
 * Keyed form: the byte 2, then HMAC-SHA256(key, digest). A digest is a byte shorter; a voided key has no fingerprint.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { keepInstallationSecret } from '../db/installation-store.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';

export interface Fingerprints {
  /** The stored form of a request's digest. */
  toStore(digest: Buffer): Buffer;
  /** Whether the stored form belongs to a request with this digest. Takes the same time for each digest. */
  match(stored: Buffer, digest: Buffer): boolean;
  /** A digest of a secret text that nobody can guess: keyed, whatever the forms. Hexadecimal. */
  digestOf(text: string): string;
}

export interface InstallationFingerprints extends Fingerprints {
  /** Reads the installation's key, and makes one if absent. Throws SecretBoxError when the key does not open. */
  readKey(): Promise<void>;
}

export const DIGEST_BYTES = 32;
const KEYED = 2;
const KEYED_BYTES = 1 + DIGEST_BYTES;
const KEY_NAME = 'idempotency_fingerprints';

export function isKeyed(stored: Buffer): boolean {
  return stored.length === KEYED_BYTES && stored[0] === KEYED;
}

export function keyedFingerprint(key: KeyObject, digest: Buffer): Buffer {
  const stored = Buffer.allocUnsafe(KEYED_BYTES);
  stored[0] = KEYED;
  createHmac('sha256', key).update(digest).digest().copy(stored, 1);
  return stored;
}

export async function readFingerprintKey(pool: Pool, secretBox: SecretBox): Promise<KeyObject> {
  return createSecretKey(await keepInstallationSecret(pool, secretBox, KEY_NAME));
}

export function createFingerprints({
  pool,
  secretBox,
}: {
  pool: Pool;
  secretBox: SecretBox;
}): InstallationFingerprints {
  let read: KeyObject | undefined;
  const key = () => {
    if (!read) throw new Error('The key of the fingerprints has not been read');
    return read;
  };
  return {
    toStore: (digest) => keyedFingerprint(key(), digest),
    match: (stored, digest) => isSame(stored, isKeyed(stored) ? keyedFingerprint(key(), digest) : digest),
    digestOf: (text) => createHmac('sha256', key()).update(text).digest('hex'),
    async readKey() {
      read = await readFingerprintKey(pool, secretBox);
    },
  };
}

function isSame(stored: Buffer, asked: Buffer): boolean {
  return stored.length === asked.length && timingSafeEqual(stored, asked);
}
