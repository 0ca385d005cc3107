/**
 * The key that signs checkpoints: random, made once, kept in the data folder. It has its own file, which can be taken
 * away.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createSecretFile, readJsonFile } from './secret-files.ts';

/** An Ed25519 seed of 32 bytes in base64. */
interface SigningKeyFile {
  signingKey: string;
}

const FILE = 'checkpoint-key.json';

/** Reads the folder's key, or makes it. Of two processes that make it at once, both return the first one's. */
export function keepSigningKey(directory: string): string {
  const known = readSigningKey(directory);
  if (known) return known;
  const signingKey = randomBytes(32).toString('base64');
  try {
    createSecretFile(join(directory, FILE), { signingKey } satisfies SigningKeyFile);
    return signingKey;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readSigningKey(directory)!;
  }
}

export function readSigningKey(directory: string): string | undefined {
  return readJsonFile<SigningKeyFile>(join(directory, FILE))?.signingKey;
}
