/**
 * Checks that no secret and no card number stands where others read: in the output of the processes, in their writes to
 * Redis, and in the rows of the database, as a dump contains them.
 */
import type { Pool } from '../../src/db/pool.ts';
import { tablesContaining } from '../harness/database-store.ts';
import type { OrganisationKeys } from '../harness/organisation.ts';
import type { ProductProcess } from '../harness/processes.ts';
import type { Database } from '../harness/server.ts';
import type { TcpProxy } from '../harness/tcp-proxy.ts';
import type { RevealedCard } from './card-load.ts';
import { CARD_NUMBERS, CVC } from './payment-plans.ts';

/** What a stage keeps that nobody may read. */
export interface Secrets {
  readonly keys: OrganisationKeys;
  readonly tenants: readonly { readonly keys: OrganisationKeys }[];
  readonly endpoints: Iterable<{ readonly secret: string }>;
  /** Cards that we have issued. */
  readonly revealed: Iterable<RevealedCard>;
  readonly database: Pick<Database, 'applicationUrl' | 'encryptionKey'>;
}

interface NetworkToRedis {
  readonly redis: Pick<TcpProxy, 'sent'> | undefined;
}

/** Where others read: what processes write, what Redis is sent, and the rows of the database. */
export interface SecretsAtRisk extends Secrets {
  readonly apis: readonly ProductProcess[];
  readonly workers: readonly ProductProcess[];
  readonly successors: readonly ProductProcess[];
  readonly network: { readonly api: NetworkToRedis; readonly worker: NetworkToRedis };
  readonly behind: Pool;
}

/** A few digits alone stand in many texts: those that JSON, its text in JSON, each with a space and without, and a form give the code. */
const cvcForms = (cvc: string) => [
  `"cvc":"${cvc}"`,
  `"cvc": "${cvc}"`,
  `\\"cvc\\":\\"${cvc}\\"`,
  `\\"cvc\\": \\"${cvc}\\"`,
  `cvc=${cvc}`,
];
export const CVC_FORMS = cvcForms(CVC);

/** Maps each secret text to what it is. */
export function secretsOf({ keys, tenants, endpoints, revealed, database }: Secrets): Map<string, string> {
  const apiKeys = [keys, ...tenants.map((tenant) => tenant.keys)].flatMap(({ testKey, liveKey }) => [testKey, liveKey]);
  const secrets = new Map([
    ...apiKeys.map((key) => [key, 'an API key'] as const),
    [database.encryptionKey, 'the encryption key'],
    [new URL(database.applicationUrl).password, 'a password'],
    ...CARD_NUMBERS.map((number) => [number, 'a card number'] as const),
    ...CVC_FORMS.map((text) => [text, 'a security code'] as const),
  ]);
  for (const { number, cvc } of revealed) {
    secrets.set(number, 'the number of an issued card');
    for (const text of cvcForms(cvc)) secrets.set(text, 'the security code of an issued card');
  }
  // With its prefix or without: the bytes behind it are the signing key.
  for (const { secret } of endpoints) secrets.set(secret.replace(/^whsec_/, ''), 'a webhook secret');
  return secrets;
}

/** Returns a line for each place in which a secret stands. */
export async function betrayed(stage: SecretsAtRisk): Promise<string[]> {
  const secrets = secretsOf(stage);
  const found: string[] = [];
  const lookFor = (isThere: (text: string) => boolean, where: string) => {
    for (const [text, what] of secrets) if (isThere(text)) found.push(`${what} stands in ${where}`);
  };
  for (const { url, everything } of [...stage.apis, ...stage.workers, ...stage.successors])
    lookFor((text) => everything.includes(text), `what the process at ${url} wrote`);
  for (const { redis } of [stage.network.api, stage.network.worker])
    lookFor((text) => redis?.sent.has(text) ?? false, 'what was sent to Redis');
  const tables = await tablesContaining(stage.behind, [...secrets.keys()].flatMap(formsOf));
  found.push(...tables.map((table) => `a secret stands in a row of ${table}`));
  return found;
}

/** As many bytes stand nowhere by chance. */
const SECRET_BYTES = 8;

/** The forms of a text in a column: the text, the bytes of the text, and the bytes that the text is the base64 of. */
export function formsOf(text: string): string[] {
  const forms = [text, Buffer.from(text).toString('hex')];
  const decoded = Buffer.from(text, 'base64');
  return decoded.length < SECRET_BYTES ? forms : [...forms, decoded.toString('hex')];
}
