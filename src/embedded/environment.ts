/**
 * The environment of a running `npm start`, read from its data folder by scripts: `keys`, `verify`, `ops`, `listen`.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { requireUrls } from '../process/connection-urls.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { runningInstance } from './instance-lock.ts';
import { DATABASE, urlOf } from './logins.ts';
import { rememberedPostgres } from './remembered-postgres.ts';
import { readJsonFile } from './secret-files.ts';
import { readSecrets } from './secrets.ts';
import { readSigningKey } from './signing-key-file.ts';

/** `./.data`, or the folder in COUNTINGHOUSE_DATA. */
export function dataDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  return resolve(environment.COUNTINGHOUSE_DATA || '.data');
}

/** What scripts need to call the API as an integrator does. Rewritten at each start, since the port may change. */
export interface Credentials {
  base_url: string;
  /** Of a service. */
  test_key: string;
  /** Of two persons: what one of them makes, the other one approves. */
  person_test_key: string;
  second_person_test_key: string;
  /** Of two persons of the operator's, who reconcile its books: what one of them decides, the other one approves. */
  operator_test_key: string;
  second_operator_test_key: string;
}

export const CREDENTIALS_FILE = 'credentials.json';

export function readCredentials(directory: string): Credentials | undefined {
  return readJsonFile<Credentials>(join(directory, CREDENTIALS_FILE));
}

export interface EmbeddedEnvironment {
  DATABASE_URL: string;
  DATABASE_OWNER_URL: string;
  SIGNER_DATABASE_URL: string;
  COUNTINGHOUSE_ENCRYPTION_KEY: string;
  CHECKPOINT_SIGNING_KEY: string | undefined;
  /** The API's address. Undefined during the start. */
  base_url: string | undefined;
}

/** The environment of the instance that runs in a data folder. Throws EmbeddedPostgresError when none runs there. */
export function embeddedEnvironment(directory: string = dataDirectory()): EmbeddedEnvironment {
  const instance = runningInstance(directory);
  if (!instance) {
    throw new EmbeddedPostgresError(
      existsSync(directory) ? `Nothing runs with its data in ${directory}.` : `There is no folder ${directory}.`,
      'Run `npm start` first, or set DATABASE_URL to the database that is meant.',
    );
  }
  const secrets = readSecrets(directory);
  const postgres = rememberedPostgres(directory);
  if (!secrets || !postgres?.postmaster) {
    throw new EmbeddedPostgresError(
      `What runs with its data in ${directory} has no database of its own.`,
      'Set DATABASE_URL as it was set for it.',
    );
  }
  const url = (role: 'owner' | 'application' | 'signer') =>
    urlOf(secrets, { role, port: postgres.port, database: DATABASE });
  return {
    DATABASE_URL: url('application'),
    DATABASE_OWNER_URL: url('owner'),
    SIGNER_DATABASE_URL: url('signer'),
    COUNTINGHOUSE_ENCRYPTION_KEY: secrets.encryptionKey,
    CHECKPOINT_SIGNING_KEY: readSigningKey(directory),
    base_url: instance.baseUrl,
  };
}

/** DATABASE_NAMED_STATEMENTS as the product reads it. Named statements fail behind a pooler in transaction mode. */
export function mayNameStatements(environment: NodeJS.ProcessEnv): boolean {
  return environment.DATABASE_NAMED_STATEMENTS !== 'false';
}

/**
 * The environment of a script: the given one if it has DATABASE_URL, else the given one completed by the running
 * embedded instance. Throws EmbeddedPostgresError when there is neither, and for a URL that cannot be meant as it is read.
 */
export function environmentOrEmbedded(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  requireUrls(environment);
  if (environment.DATABASE_URL) return environment;
  const { base_url: _, ...embedded } = embeddedEnvironment(dataDirectory(environment));
  const CHECKPOINT_SIGNING_KEY = environment.CHECKPOINT_SIGNING_KEY || embedded.CHECKPOINT_SIGNING_KEY;
  return { ...environment, ...embedded, CHECKPOINT_SIGNING_KEY };
}
