/**
 * Ed25519 (RFC 8032) for checkpoints. A key's id is the SHA-256 of its public key. An auditor who noted the id
 * recognizes the key, and after a rotation every checkpoint still names the key that signed it.
 */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/** The bytes before the 32 bytes of a private and a public key in DER (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

export interface SigningKey {
  readonly keyId: string;
  /** 32 bytes. */
  readonly publicKey: Buffer;
  sign(message: string): Buffer;
}

/** The key in CHECKPOINT_SIGNING_KEY, checked by the configuration: a seed of 32 bytes or PKCS #8, in base64. */
export function signingKeyFrom(text: string): SigningKey {
  const seed = Buffer.from(text, 'base64').subarray(-32);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length);
  return { keyId: keyIdOf(publicKey), publicKey, sign: (message) => sign(null, Buffer.from(message), key) };
}

/**
 * The id of a key in CHECKPOINT_FORMER_KEYS, checked by the configuration: a public key of 32 bytes in base64, or its
 * id.
 */
export function formerKeyIdFrom(text: string): string {
  return text.startsWith('ed25519:') ? text : keyIdOf(Buffer.from(text, 'base64'));
}

/** `ed25519:` and the SHA-256 of the 32 bytes, in hex. */
export function keyIdOf(publicKey: Buffer): string {
  return `ed25519:${hash('sha256', publicKey, 'hex')}`;
}

export function isSignedBy(publicKey: Buffer, message: string, signature: Buffer): boolean {
  if (publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  return verify(null, Buffer.from(message), publicKeyObject(publicKey), signature);
}

function publicKeyObject(publicKey: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
}
