/**
 * No secret stands where others read: in what the processes write, in what they send to Redis, and in the rows of the
 * database, which is what a dump of it holds.
 */
import { rowsHolding } from './database-store.ts';
import type { Stage } from './stage.ts';

/** What each text is that nobody may read. */
export function secretsOf({
  keys,
  endpoints,
  database,
}: Pick<Stage, 'keys' | 'endpoints' | 'database'>): Map<string, string> {
  const secrets = new Map([
    [keys.testKey, 'an API key'],
    [keys.liveKey, 'an API key'],
    [database.encryptionKey, 'the encryption key'],
    [new URL(database.applicationUrl).password, 'a password'],
  ]);
  // With its prefix or without: the bytes behind it are what signs.
  for (const { secret } of endpoints) secrets.set(secret.replace(/^whsec_/, ''), 'a webhook secret');
  return secrets;
}

/** A line for each place in which a secret stands. */
export async function betrayed(stage: Stage): Promise<string[]> {
  const secrets = secretsOf(stage);
  const found: string[] = [];
  const lookFor = (isThere: (text: string) => boolean, where: string) => {
    for (const [text, what] of secrets) if (isThere(text)) found.push(`${what} stands in ${where}`);
  };
  for (const { url, everything } of [...stage.apis, ...stage.workers, ...stage.successors])
    lookFor((text) => everything.includes(text), `what the process at ${url} wrote`);
  for (const { redis } of [stage.network.api, stage.network.worker])
    lookFor((text) => redis?.sent.has(text) ?? false, 'what was sent to Redis');
  const tables = await rowsHolding(stage.behind, [...secrets.keys()].flatMap(formsOf));
  found.push(...tables.map((table) => `a secret stands in a row of ${table}`));
  return found;
}

/** As it may stand in a column: as text, as bytes of that text, and as the bytes that it is the base64 of. */
export function formsOf(text: string): string[] {
  return [text, Buffer.from(text).toString('hex'), Buffer.from(text, 'base64').toString('hex')];
}
