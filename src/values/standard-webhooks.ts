/**
 * Signatures of Standard Webhooks 1.0 (standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`, in base64 after
 * `v1,`. During a rotation of the secret there are two, with a space between; one valid signature is enough. Ed25519
 * over the same text stands after `v1a,`.
 */
import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign as signBy,
  timingSafeEqual,
} from 'node:crypto';

/** Created by createSigningKey from a `whsec_` secret. */
export type SigningKey = KeyObject;

const PREFIX = 'whsec_';
/** Bounds of the specification. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
/** The length of the hash: a longer secret adds no strength. */
const SECRET_BYTES_NEW = 32;
/**
 * Most difference between the timestamp and the receiver's clock: five minutes, as in the specification's own
 * libraries.
 */
const TOLERANCE_SECONDS = 5 * 60;

/** A new secret, in the form in which its owner sees it once. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES_NEW).toString('base64');
}

/** Throws RangeError unless `secret` is `whsec_` and base64 of 24 to 64 bytes. */
export function createSigningKey(secret: string): SigningKey {
  const base64 = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const bytes = Buffer.from(base64, 'base64');
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  if (!isWhole || bytes.length < SECRET_BYTES_MIN || bytes.length > SECRET_BYTES_MAX) {
    throw new RangeError(
      `A webhook secret is ${PREFIX} and base64 of ${SECRET_BYTES_MIN} to ${SECRET_BYTES_MAX} bytes`,
    );
  }
  return createSecretKey(bytes);
}

const PRIVATE_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
/** An Ed25519 key in its containers (PKCS #8, SPKI) is its last 32 bytes (RFC 8410). */
const ED25519_BYTES = 32;
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface SigningPair {
  /** `whsk_` and base64 of the 32 bytes of the private key. */
  readonly privateKey: string;
  /** `whpk_` and base64 of the 32 bytes of the public key. */
  readonly publicKey: string;
}

/** A new Ed25519 key pair. */
export function newSigningPair(): SigningPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const last = (der: Buffer) => der.subarray(-ED25519_BYTES).toString('base64');
  return {
    privateKey: PRIVATE_PREFIX + last(privateKey.export({ format: 'der', type: 'pkcs8' })),
    publicKey: PUBLIC_PREFIX + last(publicKey.export({ format: 'der', type: 'spki' })),
  };
}

/** Throws RangeError unless `key` is `whsk_` and base64 of 32 bytes. */
export function createPrivateSigningKey(key: string): KeyObject {
  const bytes = Buffer.from(key.startsWith(PRIVATE_PREFIX) ? key.slice(PRIVATE_PREFIX.length) : '', 'base64');
  if (bytes.length !== ED25519_BYTES)
    throw new RangeError(`A private signing key is ${PRIVATE_PREFIX} and base64 of ${ED25519_BYTES} bytes`);
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytes]), format: 'der', type: 'pkcs8' });
}

/** `v1a,` and the signature under an Ed25519 key. */
export function signAsymmetric({ id, timestampSeconds, body }: SignedMessage, key: KeyObject): string {
  return `v1a,${signBy(null, Buffer.from(`${id}.${timestampSeconds}.${body}`), key).toString('base64')}`;
}

export interface SignedMessage {
  /** The event's public id: the same on every attempt. */
  id: string;
  timestampSeconds: number;
  body: string;
}

/** The value of `webhook-signature`. */
export function sign(message: SignedMessage, keys: readonly SigningKey[]): string {
  const head = `${message.id}.${message.timestampSeconds}.`;
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(head).update(message.body).digest('base64')}`)
    .join(' ');
}

export interface ReceivedMessage {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** Verifies as a receiver does. Undefined when a signature is valid, otherwise the fault of the message. */
export function verify(
  { headers, body }: ReceivedMessage,
  keys: readonly SigningKey[],
  nowSeconds: number,
): string | undefined {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'a webhook- header is missing';
  const timestampSeconds = Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowSeconds - timestampSeconds) > TOLERANCE_SECONDS) {
    return 'the timestamp is too far from our clock';
  }
  const expected = keys.map((key) => Buffer.from(sign({ id, timestampSeconds, body }, [key])));
  const isSigned = signatures.split(' ').some((given) => expected.some((each) => isSame(each, Buffer.from(given))));
  return isSigned ? undefined : 'no signature holds';
}

function isSame(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
}
