/** What a cluster of our own is opened with: random, made once, kept beside it. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createSecretFile, readJsonFile } from './secret-files.ts';

export interface Secrets {
  superuserPassword: string;
  ownerPassword: string;
  applicationPassword: string;
  /** 32 bytes in base64: encrypts webhook secrets and alias data at rest. Lost, they cannot be read again. */
  encryptionKey: string;
}

const FILE = 'secrets.json';

/** Reads the folder's secrets, or makes them. Of two processes that make them at once, both get the first one's. */
export function keepSecrets(directory: string): Secrets {
  const path = join(directory, FILE);
  const known = readJsonFile<Secrets>(path);
  if (known) return known;
  const password = () => randomBytes(24).toString('base64url');
  const secrets: Secrets = {
    superuserPassword: password(),
    ownerPassword: password(),
    applicationPassword: password(),
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
