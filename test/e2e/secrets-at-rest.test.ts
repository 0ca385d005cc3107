/**
 * What an attacker can do with a dump: every row, the code and the API reference, but not the encryption key. The mask
 * of an alias hides only some of its characters, and the attacker tests every combination.
 */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Endpoint, type Payout, until } from '../../scripts/harness/client.ts';
import { type SealedPlace, SecretBoxError } from '../../src/db/secret-box.ts';
import { DECLARED_TABLES } from '../../src/groups.ts';
import { answerSecretPlace, concealedSecret } from '../../src/idempotency/answer-secret.ts';
import { type RekeyResult, rekey } from '../../src/operations/rekey.ts';
import { destinationPlace, ofPayout } from '../../src/payouts/destinations/destination.ts';
import { newId, parsePublicId } from '../../src/values/ids.ts';
import { canonicalJson } from '../../src/values/json.ts';
import { previousSecretPlace, secretPlace } from '../../src/webhooks/endpoints/endpoint-secret.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';
import { sealUnbound } from '../support/unbound-seal.ts';

const URL = 'https://example.com/hooks';
/** Idempotency keys of requests that came before. */
const EARLIER = { payout: newId(), endpoint: newId(), rotation: newId(), voided: newId() };
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

let product: Product;
let client: Client;
let account: string;
let dumpText: () => Promise<string>;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  ({ client } = await product.organisation());
  account = (await client.openAccount()).id;
  const behind = lookInto(product.database);
  dumpText = async () => {
    const { rows: tables } = await behind.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const texts = await Promise.all(
      tables.map(async ({ name }) => {
        const { rows } = await behind.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
        return rows.map(({ text }) => text).join('\n');
      }),
    );
    return texts.join('\n');
  };
  closeBehind = () => behind.end();
});
let closeBehind = async (): Promise<void> => undefined;

afterAll(async () => {
  await closeBehind();
  await product?.close();
});

/** Of a request for a payout. */
const digestOf = (body: unknown) => hash('sha256', `POST /v1/payouts\n${canonicalJson(body)}`, 'buffer');

/** The aliases of this payout that a dump confirms. The payout's row gives the rest of the request. */
async function guess(payout: Payout): Promise<string[]> {
  const dump = await dumpText();
  const masked = (payout.destination as { alias_masked: string }).alias_masked;
  const open = [...masked].filter((character) => character === '*').length;
  let candidates = [''];
  for (let at = 0; at < open; at++) candidates = candidates.flatMap((text) => LETTERS.map((letter) => text + letter));
  const digests = new Set(dump.match(/[0-9a-f]{64}/g));
  return candidates
    .map((middle) => `${masked.slice(0, 1)}${middle}${masked.slice(1 + open)}`)
    .filter((alias) => {
      const body = { account, amount: payout.amount, currency: payout.currency, destination: { type: 'cliq', alias } };
      return digests.has(digestOf(body).toString('hex'));
    });
}

const pay = (alias: string, idempotencyKey: string = newId()) =>
  client.requestPayout({ account, amount: 100, destination: { type: 'cliq', alias }, idempotencyKey });

async function rekeyAll(): Promise<RekeyResult> {
  const { COUNTINGHOUSE_ENCRYPTION_KEY: encryptionKey } = product.runtime.config;
  const { pool } = product.runtime;
  return rekey({ pool, tables: DECLARED_TABLES, encryptionKey, oldEncryptionKeys: [] });
}

/** Rows as an early release has left them: sealed for no place, and with the plain digest of the payout's request. */
async function putInFirstForm(): Promise<void> {
  const { config, secretBox } = product.runtime;
  const again = (sealed: Buffer, place: SealedPlace) =>
    sealUnbound(config.COUNTINGHOUSE_ENCRYPTION_KEY, secretBox.open(sealed, place));
  const behind = lookInto(product.database);
  const { rows: payouts } = await behind.query('SELECT book_id, id, destination_sealed AS sealed FROM payouts');
  for (const { book_id: bookId, id, sealed } of payouts)
    await behind.query('UPDATE payouts SET destination_sealed = $2 WHERE id = $1', [
      id,
      again(sealed, destinationPlace(ofPayout(bookId, id))),
    ]);
  const { rows: endpoints } = await behind.query(
    'SELECT book_id, id, secret_sealed AS sealed, previous_secret_sealed AS previous FROM webhook_endpoints',
  );
  for (const { book_id: bookId, id, sealed, previous } of endpoints)
    await behind.query('UPDATE webhook_endpoints SET secret_sealed = $2, previous_secret_sealed = $3 WHERE id = $1', [
      id,
      again(sealed, secretPlace(bookId, id)),
      previous && again(previous, previousSecretPlace(bookId, id)),
    ]);
  const { rows: answers } = await behind.query(
    'SELECT book_id, key, body FROM idempotency_keys WHERE body IS NOT NULL',
  );
  for (const { book_id: bookId, key, body } of answers) {
    const sealed = concealedSecret(body);
    if (sealed === undefined) continue;
    const unbound = again(Buffer.from(sealed, 'base64'), answerSecretPlace(bookId, key)).toString('base64');
    await behind.query('UPDATE idempotency_keys SET body = $3 WHERE book_id = $1 AND key = $2', [
      ...[bookId, key, body.replace(sealed, unbound)],
    ]);
  }
  await behind.query('UPDATE idempotency_keys SET fingerprint = $2 WHERE key = $1', [
    EARLIER.payout,
    digestOf({ account, amount: 100, currency: 'JOD', destination: { type: 'cliq', alias: 'SALMA' } }),
  ]);
  await behind.end();
}

describe('after rows of an early release were sealed again', () => {
  const answers: Record<string, string> = {};
  let payout: Payout;
  let endpoint: Endpoint;

  const ask = {
    payout: () => pay('SALMA', EARLIER.payout),
    endpoint: () => client.post<Endpoint>('/v1/webhooks', { url: URL }, { idempotencyKey: EARLIER.endpoint }),
    rotation: () => client.post(`/v1/webhooks/${endpoint.id}/rotate_secret`, {}, { idempotencyKey: EARLIER.rotation }),
    voided: () => client.post(`/v1/idempotency_keys/${EARLIER.voided}/void`),
  };

  beforeAll(async () => {
    const first = await ask.payout();
    payout = first.body;
    answers.payout = first.text;
    const created = await ask.endpoint();
    endpoint = created.body;
    answers.endpoint = created.text;
    answers.rotation = (await ask.rotation()).text;
    answers.voided = (await ask.voided()).text;
    await until(
      () => client.payout(payout.id),
      ({ status }) => status === 'paid',
    );
    await putInFirstForm();
    // Accepted while `rekeyAll` seals every value again.
    const [{ counts }] = await Promise.all([
      rekeyAll(),
      ...Array.from({ length: 40 }, () => pay('SHOP1').then(({ status }) => expect(status).toBe(202))),
    ]);
    expect(Object.values(counts).map(({ remaining }) => remaining)).toEqual(Object.keys(counts).map(() => 0));
    expect(counts['webhook_endpoints.previous_secret_sealed']!.changed).toBe(1);
    expect(counts.answers!.changed).toBe(2);
    expect(counts.fingerprints!.changed).toBe(1);
  });

  test('no alias can be found, neither of an earlier payout nor of a new one', async () => {
    expect(await guess(payout)).toEqual([]);
    expect(await guess((await pay('NADIA')).body)).toEqual([]);
  });

  test.each(['payout', 'endpoint', 'rotation', 'voided'] as const)(
    'an earlier request gets the same answer: %s',
    async (what) => {
      const again = await ask[what]();
      expect(again.text).toBe(answers[what]);
    },
  );

  test('another request under an earlier key is refused, and so is one under a voided key', async () => {
    expect((await pay('OTHER', EARLIER.payout)).body).toMatchObject({ code: 'idempotency_key_reused' });
    expect((await pay('SALMA', EARLIER.voided)).body).toMatchObject({ code: 'idempotency_key_voided' });
  });

  test('a new endpoint signs, and shows its secret again only under its own idempotency key', async () => {
    const [one, other] = [newId(), newId()];
    const create = (idempotencyKey: string) => client.post<Endpoint>('/v1/webhooks', { url: URL }, { idempotencyKey });
    const [first, second] = [await create(one), await create(other)];
    expect((await create(one)).text).toBe(first.text);
    const behind = lookInto(product.database);
    // An attacker with write access to the database and an API key copies a stored answer to another key.
    await behind.query(
      `UPDATE idempotency_keys SET body = (SELECT body FROM idempotency_keys WHERE key = $2) WHERE key = $1`,
      [one, other],
    );
    await behind.end();
    const replayed = await create(one);
    expect(replayed.status).toBe(500);
    expect(replayed.text).not.toContain(second.body.secret);
  });

  test('an alias copied to another payout does not open there', async () => {
    const [{ id: one }, { id: other }] = [(await pay('FIRST')).body, (await pay('SECOND')).body];
    const { pool, secretBox } = product.runtime;
    const sealedOf = async (id: string) => {
      const { rows } = await pool.query<{ book_id: string; sealed: Buffer }>(
        'SELECT book_id, destination_sealed AS sealed FROM payouts WHERE id = $1',
        [parsePublicId('payout', id)],
      );
      return { ...rows[0]!, id: parsePublicId('payout', id)! };
    };
    const [mine, theirs] = [await sealedOf(one), await sealedOf(other)];
    expect(secretBox.open(mine.sealed, destinationPlace(ofPayout(mine.book_id, mine.id)))).toBe('FIRST');
    expect(() => secretBox.open(theirs.sealed, destinationPlace(ofPayout(mine.book_id, mine.id)))).toThrow(
      SecretBoxError,
    );
  });
});
