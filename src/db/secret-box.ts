/**
 * Secrets at rest: AES-256-GCM under a key from the environment. What was sealed says which key it needs, so that keys
 * can be changed one after the other: the new key seals, the old ones still open.
 *
 * Form: version (1 byte), key id (the first 4 bytes of the key's SHA-256), nonce (12), tag (16), ciphertext. Version and
 * key id are authenticated with the text. Nonces are random: 96 bits are safe for 2^32 texts a key (NIST SP 800-38D, 8.3).
 */
import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { takeRandom } from '../random.ts';

export interface SecretBox {
  seal(text: string): Buffer;
  /** Throws SecretBoxError when the key is not at hand or the bytes were changed. */
  open(sealed: Buffer): string;
}

/** Says which key is missing, never what was sealed. */
export class SecretBoxError extends Error {
  override name = 'SecretBoxError';
}

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const NONCE_END = HEADER_BYTES + NONCE_BYTES;
const TAG_END = NONCE_END + TAG_BYTES;

/** Both keys are 32 bytes in base64. The first seals; it and the old ones open. Throws SecretBoxError for any other length. */
export function createSecretBox(keyBase64: string, oldKeysBase64: readonly string[] = []): SecretBox {
  const key = decodeKey(keyBase64);
  const header = Buffer.concat([Buffer.of(VERSION), keyId(key)]);
  const keys = new Map([...oldKeysBase64.map(decodeKey), key].map((each) => [keyId(each).toString('hex'), each]));

  return {
    seal(text) {
      const nonce = takeRandom(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(header);
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([header, nonce, cipher.getAuthTag(), ciphertext]);
    },

    open(sealed) {
      if (sealed.length < TAG_END || sealed[0] !== VERSION)
        throw new SecretBoxError('These bytes are not a sealed secret');
      const id = sealed.subarray(1, HEADER_BYTES).toString('hex');
      const keyOfText = keys.get(id);
      if (!keyOfText) {
        throw new SecretBoxError(
          `No encryption key with id ${id} is configured; name it in COUNTINGHOUSE_ENCRYPTION_KEYS_OLD if it was replaced`,
        );
      }
      const decipher = createDecipheriv(ALGORITHM, keyOfText, sealed.subarray(HEADER_BYTES, NONCE_END), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(sealed.subarray(0, HEADER_BYTES))
        .setAuthTag(sealed.subarray(NONCE_END, TAG_END));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(TAG_END)), decipher.final()]).toString('utf8');
      } catch (error) {
        throw new SecretBoxError(`A secret sealed under key ${id} was changed after it was sealed`, { cause: error });
      }
    },
  };
}

function decodeKey(base64: string): Buffer {
  const key = Buffer.from(base64, 'base64');
  if (key.length !== KEY_BYTES)
    throw new SecretBoxError(`An encryption key is ${KEY_BYTES} bytes in base64; this one has ${key.length}`);
  return key;
}

function keyId(key: Buffer): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES);
}
