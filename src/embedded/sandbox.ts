/**
 * The sandbox of a first start: an organisation, a test key with every scope, and a funded account, opened through the
 * product's own API. Repeated at each start, so that the next start completes one that was killed.
 */
import { join } from 'node:path';
import type { Pool } from '../db/pool.ts';
import { EVERY_SCOPE, hashApiKey, standingOf } from '../organisations/api-key.ts';
import { findApiKeysByHash } from '../organisations/api-key-store.ts';
import { issueApiKey } from '../organisations/issue-api-key.ts';
import { openOrganisation } from '../organisations/open-organisation.ts';
import { findBookId } from '../organisations/organisation-store.ts';
import type { Clock } from '../values/clock.ts';
import { CREDENTIALS_FILE, type Credentials, readCredentials } from './environment.ts';
import { readJsonFile, replaceSecretFile } from './secret-files.ts';

const ORGANISATION = 'Sandbox';
export const SANDBOX_CURRENCY = 'JOD';
/** 100,000.000 JOD. */
const FUNDING_MINOR = 100_000_000;
const ACCOUNT_FILE = 'sandbox.json';

/**
 * Returns the folder's test key, and makes one if none is valid. Writes the key and the API's address to a file for
 * scripts.
 */
export async function keepSandboxKey(options: {
  pool: Pool;
  clock: Clock;
  directory: string;
  baseUrl: string;
}): Promise<string> {
  const { pool, clock, directory, baseUrl } = options;
  const organisation = await openOrganisation(pool, { name: ORGANISATION, clock });
  const known = readCredentials(directory)?.test_key;
  const token = known && (await opens(pool, clock, known)) ? known : await makeKey(pool, clock, organisation.id);
  replaceSecretFile(join(directory, CREDENTIALS_FILE), { base_url: baseUrl, test_key: token } satisfies Credentials);
  return token;
}

async function opens(pool: Pool, clock: Clock, token: string): Promise<boolean> {
  const {
    keys: [key],
  } = await findApiKeysByHash(pool, [hashApiKey(token)]);
  return key !== undefined && standingOf(key, clock.now()) === 'good';
}

async function makeKey(pool: Pool, clock: Clock, organisationId: string): Promise<string> {
  const bookId = await findBookId(pool, organisationId, 'test');
  if (!bookId) throw new Error(`the organisation ${ORGANISATION} has no test book`);
  const { token } = await issueApiKey(pool, clock, {
    bookId,
    mode: 'test',
    name: 'Made by npm start',
    scopes: [EVERY_SCOPE],
  });
  return token;
}

/**
 * Returns the id of the sandbox account in JOD, and opens and funds it at the first start. The Idempotency-Keys never
 * change, so a start after a killed one neither opens a second account nor funds it twice.
 */
export async function keepSandboxAccount(options: {
  directory: string;
  baseUrl: string;
  token: string;
}): Promise<string> {
  const { directory, baseUrl, token } = options;
  const path = join(directory, ACCOUNT_FILE);
  const known = readJsonFile<{ account: string }>(path);
  if (known) return known.account;
  const { id } = await post(baseUrl, token, {
    path: '/v1/accounts',
    key: 'sandbox-account',
    body: { currency: SANDBOX_CURRENCY, name: 'Sandbox account' },
  });
  await post(baseUrl, token, {
    path: '/v1/simulations/inbound_transfers',
    key: 'sandbox-funding',
    body: { account: id, amount: FUNDING_MINOR, currency: SANDBOX_CURRENCY },
  });
  replaceSecretFile(path, { account: id });
  return id;
}

async function post(
  baseUrl: string,
  token: string,
  { path, key, body }: { path: string; key: string; body: unknown },
): Promise<{ id: string }> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${answer}`);
  return JSON.parse(answer) as { id: string };
}
