/** A value in the first form of sealed values (src/db/secret-box.ts), which is only opened now: bound to its key, and to no place. */
import { createCipheriv, hash, randomBytes } from 'node:crypto';

export function sealUnbound(keyBase64: string, text: string): Buffer {
  const key = Buffer.from(keyBase64, 'base64');
  const header = Buffer.concat([Buffer.of(1), hash('sha256', key, 'buffer').subarray(0, 4)]);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 }).setAAD(header);
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), ciphertext]);
}
