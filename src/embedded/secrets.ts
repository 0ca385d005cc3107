/** Passwords and key of the embedded cluster: random, made once, kept in the data folder. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createSecretFile, readJsonFile } from './secret-files.ts';

export interface Secrets {
  superuserPassword: string;
  ownerPassword: string;
  applicationPassword: string;
  signerPassword: string;
  /** 32 bytes in base64: encrypts webhook secrets and alias data at rest. Without it they cannot be decrypted. */
  encryptionKey: string;
}

const FILE = 'secrets.json';

/** Reads the folder's secrets, or makes them. Of two processes that make them at once, both return the first one's. */
export function keepSecrets(directory: string): Secrets {
  const path = join(directory, FILE);
  const password = () => randomBytes(24).toString('base64url');
  const known = readSecrets(directory);
  if (known) return known;
  const secrets: Secrets = {
    superuserPassword: password(),
    ownerPassword: password(),
    applicationPassword: password(),
    signerPassword: password(),
    encryptionKey: randomBytes(32).toString('base64'),
  };
  try {
    createSecretFile(path, secrets);
    return secrets;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readJsonFile<Secrets>(path)!;
  }
}

export function readSecrets(directory: string): Secrets | undefined {
  return readJsonFile<Secrets>(join(directory, FILE));
}
