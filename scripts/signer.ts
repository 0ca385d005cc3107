/** The key and the connection that sign checkpoints, from the environment. */
import { createPool, type Pool } from '../src/db/pool.ts';
import { mayNameStatements } from '../src/embedded/environment.ts';
import { createLogger } from '../src/process/log.ts';
import { formerKeyIdFrom, type SigningKey, signingKeyFrom } from '../src/proofs/signing-key.ts';

const CONNECTIONS = 3;

/** Throws an error that names what is expected. */
export function signingKey(text: string | undefined): SigningKey {
  const expected = 'an Ed25519 key in base64 (openssl genpkey -algorithm ed25519 -outform DER | base64)';
  if (!text) throw new Error(`CHECKPOINT_SIGNING_KEY is not set; it expects ${expected}.`);
  try {
    return signingKeyFrom(text);
  } catch {
    throw new Error(`CHECKPOINT_SIGNING_KEY expects ${expected}.`);
  }
}

export function formerKeys(text = ''): Set<string> {
  const keys = text.split(',').map((part) => part.trim());
  return new Set(keys.filter(Boolean).map(formerKeyIdFrom));
}

export function signerPool(url: string): Pool {
  return createPool({
    url,
    name: 'countinghouse-checkpoint',
    size: CONNECTIONS,
    log: createLogger('silent', 'checkpoint'),
    namedStatements: mayNameStatements(process.env),
  });
}
