/**
 * The sandbox of a first start: an organisation, test keys of a service and of two persons, and a funded account, opened through the
 * product's own API; and test keys of two persons of the operator's. Repeated at each start, so that the next start completes one that was killed.
 */
import { join } from 'node:path';
import type { Pool } from '../db/pool.ts';
import type { Committer } from '../ledger/commit/committer.ts';
import { EVERY_SCOPE, hashApiKey, scopesOfOperator, standingOf } from '../organisations/api-key.ts';
import { findApiKeysByHash } from '../organisations/api-key-store.ts';
import { issueApiKey, type KeyIssuer } from '../organisations/issue-api-key.ts';
import { openOrganisation } from '../organisations/open-organisation.ts';
import type { Organisation } from '../organisations/organisation.ts';
import { findBookId, findOperatorOrganisation } from '../organisations/organisation-store.ts';
import { newPerson } from '../organisations/person.ts';
import { insertPeople } from '../organisations/person-store.ts';
import { encodeActor } from '../values/actor.ts';
import type { Clock } from '../values/clock.ts';
import { CREDENTIALS_FILE, type Credentials, readCredentials } from './environment.ts';
import { readJsonFile, replaceSecretFile } from './secret-files.ts';

const ORGANISATION = 'Sandbox';
export const SANDBOX_CURRENCY = 'JOD';
/** 100,000.000 JOD. */
const FUNDING_MINOR = 100_000_000;
const ACCOUNT_FILE = 'sandbox.json';

/**
 * Returns the folder's test key, and makes one if none is valid; likewise the keys of two persons, and of two of the operator's. Writes the keys and the API's address
 * to a file for scripts.
 */
export async function keepSandboxKey(options: {
  pool: Pool;
  clock: Clock;
  committer: Committer;
  directory: string;
  baseUrl: string;
}): Promise<string> {
  const { pool, clock, committer, directory, baseUrl } = options;
  const issuer = { db: pool, committer, actor: encodeActor({ type: 'operator', name: 'npm start' }) };
  const organisation = await openOrganisation(pool, { name: ORGANISATION, clock });
  const known = readCredentials(directory);
  const keep = async (token: string | undefined, make: () => Promise<string>) =>
    token && (await opens(pool, clock, token)) ? token : make();
  const operator = await findOperatorOrganisation(pool);
  if (!operator) throw new Error('the operator has no organisation');
  const makePersonKey = (of: Organisation, name: string) => async () => {
    const person = newPerson(of.id, name, clock.now());
    await insertPeople(pool, [person]);
    return makeKey(issuer, { organisation: of, personId: person.id });
  };
  const credentials: Credentials = {
    base_url: baseUrl,
    test_key: await keep(known?.test_key, () => makeKey(issuer, { organisation })),
    person_test_key: await keep(known?.person_test_key, makePersonKey(organisation, 'Sandbox person')),
    second_person_test_key: await keep(
      known?.second_person_test_key,
      makePersonKey(organisation, 'Second sandbox person'),
    ),
    operator_test_key: await keep(known?.operator_test_key, makePersonKey(operator, 'Person of the operator')),
    second_operator_test_key: await keep(
      known?.second_operator_test_key,
      makePersonKey(operator, 'Second person of the operator'),
    ),
  };
  replaceSecretFile(join(directory, CREDENTIALS_FILE), credentials);
  return credentials.test_key;
}

async function opens(pool: Pool, clock: Clock, token: string): Promise<boolean> {
  const {
    keys: [key],
  } = await findApiKeysByHash(pool, [hashApiKey(token)]);
  return key !== undefined && standingOf(key, clock.now()) === 'good';
}

/** Without a person, the key belongs to the service of its name. Of the operator's books it has what any key of them may have. */
async function makeKey(
  issuer: KeyIssuer,
  { organisation, personId }: { organisation: Organisation; personId?: string },
): Promise<string> {
  const bookId = await findBookId(issuer.db, organisation.id, 'test');
  if (!bookId) throw new Error(`the organisation ${organisation.name} has no test book`);
  const name = 'Made by npm start';
  const scopes = organisation.kind === 'operator' ? scopesOfOperator('test') : [EVERY_SCOPE];
  const { token } = await issueApiKey(issuer, { bookId, mode: 'test', name, personId, scopes });
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
