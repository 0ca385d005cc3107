/**
 * Secrets at rest: AES-256-GCM under a key from the environment. A sealed value names the key it needs, so that keys
 * can be replaced one after the other: the new key seals, the old keys still open.
 *
 * Form: version (1 byte), key id (the first 4 bytes of the key's SHA-256), nonce (12 bytes), tag (16 bytes),
 * ciphertext. Nonces are random: 96 bits are safe for 2^32 texts a key (NIST SP 800-38D, 8.3). Authenticated with the
 * text:
 * - version 1: version and key id. Opened where it still stands, and sealed no more.
 * - version 2: also the place, so that a value copied to another book, table, column or row does not open there.
 */
import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import type { Uuid } from '../values/ids.ts';
import { takeRandom } from '../values/random.ts';

/** Where a sealed value is stored. */
export interface SealedPlace {
  /** Null for a value of the whole installation. */
  readonly bookId: Uuid | null;
  readonly table: string;
  readonly column: string;
  /** The row's key within its book. */
  readonly rowId: string;
}

export interface SecretBox {
  seal(text: string, place: SealedPlace): Buffer;
  /** Throws SecretBoxError when the key is not configured, the bytes were changed, or they belong to another place. */
  open(sealed: Buffer, place: SealedPlace): string;
  /**
   * Returns a pure function that seals a value of one place anew for another. Its nonce is taken now: of several
   * results, at most one may be kept. A value that does not open is returned unchanged.
   */
  mover(from: SealedPlace, to: SealedPlace): (sealed: Buffer) => Buffer;
  /** Whether the value has the form, and the key, in which it would be sealed now. */
  isCurrent(sealed: Buffer): boolean;
}

/** The message names the missing key, never the sealed text. */
export class SecretBoxError extends Error {
  override name = 'SecretBoxError';
}

const ALGORITHM = 'aes-256-gcm';
const UNBOUND = 1;
const BOUND = 2;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const NONCE_END = HEADER_BYTES + NONCE_BYTES;
const TAG_END = NONCE_END + TAG_BYTES;

/** Keys are 32 bytes in base64. The first key seals; all keys open. Throws SecretBoxError for any other length. */
export function createSecretBox(keyBase64: string, oldKeysBase64: readonly string[] = []): SecretBox {
  const key = decodeKey(keyBase64);
  const header = Buffer.concat([Buffer.of(BOUND), idOf(key)]);
  const keys = new Map([...oldKeysBase64.map(decodeKey), key].map((each) => [idOf(each).toString('hex'), each]));

  function seal(text: string, place: SealedPlace, nonce: Buffer): Buffer {
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(header, place));
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([header, nonce, cipher.getAuthTag(), ciphertext]);
  }

  function open(sealed: Buffer, place: SealedPlace): string {
    if (sealed.length < TAG_END || (sealed[0] !== BOUND && sealed[0] !== UNBOUND))
      throw new SecretBoxError('These bytes are not a sealed secret');
    const id = sealedKeyId(sealed);
    const keyOfText = keys.get(id);
    if (!keyOfText) {
      throw new SecretBoxError(
        `No encryption key with id ${id} is configured; name it in COUNTINGHOUSE_ENCRYPTION_KEYS_OLD if it was replaced`,
      );
    }
    const decipher = createDecipheriv(ALGORITHM, keyOfText, sealed.subarray(HEADER_BYTES, NONCE_END), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(boundTo(sealed.subarray(0, HEADER_BYTES), place))
      .setAuthTag(sealed.subarray(NONCE_END, TAG_END));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(TAG_END)), decipher.final()]).toString('utf8');
    } catch (error) {
      throw new SecretBoxError(
        `A secret sealed under key ${id} was changed after it was sealed, or stands where it was not sealed for (${place.table}.${place.column})`,
        { cause: error },
      );
    }
  }

  return {
    seal: (text, place) => seal(text, place, takeRandom(NONCE_BYTES)),
    open,

    mover(from, to) {
      const nonce = takeRandom(NONCE_BYTES);
      return (sealed) => {
        try {
          return seal(open(sealed, from), to, nonce);
        } catch (error) {
          if (error instanceof SecretBoxError) return sealed;
          throw error;
        }
      };
    },

    isCurrent: (sealed) => header.equals(sealed.subarray(0, HEADER_BYTES)),
  };
}

/** The key id in values sealed under this key. Throws SecretBoxError for a key of another length. */
export function encryptionKeyId(keyBase64: string): string {
  return idOf(decodeKey(keyBase64)).toString('hex');
}

/** The id of the key that opens a sealed value. */
export function sealedKeyId(sealed: Buffer): string {
  return sealed.toString('hex', 1, HEADER_BYTES);
}

/** The data authenticated with the text. JSON keeps the parts of a place apart, whatever they contain. */
function boundTo(header: Buffer, { bookId, table, column, rowId }: SealedPlace): Buffer {
  if (header[0] === UNBOUND) return header;
  return Buffer.concat([header, Buffer.from(JSON.stringify([bookId, table, column, rowId]))]);
}

function decodeKey(base64: string): Buffer {
  const key = Buffer.from(base64, 'base64');
  if (key.length !== KEY_BYTES)
    throw new SecretBoxError(`An encryption key is ${KEY_BYTES} bytes in base64; this one has ${key.length}`);
  return key;
}

function idOf(key: Buffer): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES);
}
