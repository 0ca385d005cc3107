/** `npm run ops -- rekey`: killed in the middle and run again, after the encryption key was replaced. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../scripts/harness/client.ts';
import { programOf } from '../../../scripts/harness/programs.ts';
import { program } from '../../../scripts/ops.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { createFingerprints } from '../../../src/idempotency/fingerprints.ts';
import { loadBook, lockBook } from '../../../src/ledger/book/book-store.ts';
import { payeePlace } from '../../../src/outside/notices/notice.ts';
import { destinationPlace, ofPayout } from '../../../src/payouts/destinations/destination.ts';
import { acceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { earlierSecretPlace, secretPlace } from '../../../src/webhooks/endpoints/endpoint-secret.ts';
import { openBook, payoutRequest, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runHere } from '../../support/run-here.ts';
import { sealUnbound } from '../../support/unbound-seal.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const KEYS = 12_000;
/** The keys above, and two of the book's own account, whose fingerprints are not digests. */
const FOUND = KEYS + 2;
const log = createLogger('silent', 'test');
const digestOf = (request: string) => createHash('sha256').update(request).digest();

let database: TestDatabase;
let pool: Pool;
let book: TestBook;
let accountId: string;
const oldKey = randomBytes(32).toString('base64');
const payouts = Array.from({ length: 30 }, (_, at) => ({ payoutId: newId(), alias: `ALIAS${at}` }));

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 4, log });
  book = await openBook({ database: pool });
  accountId = await book.account({ amount: 1_000_000n });
  await pool.query(
    `INSERT INTO idempotency_keys (book_id, key, fingerprint, status, body, request_id, created_at)
     SELECT $1, 'key-' || n, sha256(convert_to('request ' || n, 'UTF8')), 200, '{}', gen_random_uuid(), now()
       FROM generate_series(1, ${KEYS}) AS n`,
    [book.id],
  );
  await pool.query(
    `INSERT INTO idempotency_keys (book_id, key, fingerprint, request_id, voided_at, created_at)
     VALUES ($1, 'voided', '', gen_random_uuid(), now(), now())`,
    [book.id],
  );
  // In the first form, under a key that has since been replaced.
  for (const { payoutId, alias } of payouts) {
    const sealed = sealUnbound(oldKey, alias);
    const destination = {
      type: 'cliq',
      sealed,
      masked: 'A***',
      provider: null,
      details: null,
      accountSealed: null,
    } as const;
    await book.submit(acceptPayout(payoutRequest(book.id, { payoutId, accountId, destination })));
  }
});

afterAll(async () => {
  await book?.close();
  await pool?.end();
  await database?.drop();
});

const boundBox = () => createSecretBox(database.encryptionKey);
const keyedFingerprints = async () => {
  const fingerprints = createFingerprints({ pool, secretBox: boundBox() });
  await fingerprints.readKey();
  return fingerprints;
};

const environment = (oldKeys = oldKey) => ({
  PATH: process.env.PATH,
  DATABASE_URL: database.applicationUrl,
  COUNTINGHOUSE_ENCRYPTION_KEY: database.encryptionKey,
  COUNTINGHOUSE_ENCRYPTION_KEYS_OLD: oldKeys,
});

/** In a process of its own, which can be killed. */
function start(): { child: ChildProcess; ended: Promise<unknown> } {
  const child = spawn(process.execPath, [...programOf('scripts/ops.ts'), 'rekey', '--json'], {
    cwd: ROOT,
    env: environment(),
    stdio: 'ignore',
  });
  return { child, ended: once(child, 'close') };
}

async function run(oldKeys?: string) {
  const { code, out, err } = await runHere(program, ['rekey', '--json'], environment(oldKeys));
  expect(err).not.toContain('Error');
  return { status: code, result: JSON.parse(out) };
}

const keyed = async () => {
  const { rows } = await pool.query<{ n: bigint }>(
    'SELECT count(*) AS n FROM idempotency_keys WHERE length(fingerprint) = 33',
  );
  return Number(rows[0]!.n);
};

const WAITING = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const waiting = async () => (await pool.query(`SELECT ${WAITING}`)).rowCount;

test('after a kill in the middle, the next run finishes', async () => {
  // The last key in its order: without this row no run ends.
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await holder.query("SELECT FROM idempotency_keys WHERE book_id = $1 AND key = 'key-9999' FOR UPDATE", [book.id]);
  const { child, ended } = start();
  await until(waiting, (count) => count === 1);
  expect(await keyed()).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await ended;
  // Its server process learns of the end only when it answers.
  await pool.query(`SELECT pg_terminate_backend(pid) ${WAITING}`);
  await until(waiting, (count) => count === 0);
  await holder.query('ROLLBACK');
  holder.release();
  const done = await keyed();
  expect(done).toBeLessThan(KEYS);
  const { status, result } = await run();
  expect(status).toBe(0);
  expect(result).toMatchObject({
    fingerprints: { found: FOUND, changed: KEYS - done, remaining: 0 },
    'payouts.destination_sealed': { found: 30, changed: 30, remaining: 0 },
  });
  const fingerprints = await keyedFingerprints();
  const { rows } = await pool.query<{ key: string; fingerprint: Buffer }>(
    "SELECT key, fingerprint FROM idempotency_keys WHERE key LIKE 'key-%'",
  );
  expect(rows).toHaveLength(KEYS);
  const wrong = rows.filter(
    ({ key, fingerprint }) => !fingerprints.match(fingerprint, digestOf(key.replace('key-', 'request '))),
  );
  expect(wrong).toEqual([]);
  const { rows: voided } = await pool.query("SELECT fingerprint FROM idempotency_keys WHERE key = 'voided'");
  expect(voided).toEqual([{ fingerprint: Buffer.alloc(0) }]);
  for (const { payoutId, alias } of payouts) {
    const { rows: found } = await pool.query<{ sealed: Buffer }>(
      'SELECT destination_sealed AS sealed FROM payouts WHERE book_id = $1 AND id = $2',
      [book.id, payoutId],
    );
    expect(boundBox().open(found[0]!.sealed, destinationPlace(ofPayout(book.id, payoutId)))).toBe(alias);
  }
});

test('the payee of a rail notice is sealed again too', async () => {
  const id = newId();
  const place = payeePlace({ bookId: book.id, party: 'some rail' }, id);
  const now = Date.now();
  await pool.query(
    `INSERT INTO rail_notices (book_id, rail, id, end_to_end_id, kind, reference, confirmed_payee_sealed, notice, status,
       attempts, told_at, created_at, updated_at)
     VALUES ($1, 'some rail', $2, 'E2E', 'paid', 'R', $3, '{}', 'taken', 1, $4, $4, $4)`,
    [book.id, id, createSecretBox(oldKey).seal('digest', place), new Date(now)],
  );
  expect((await run()).result.notices).toEqual({ found: 1, changed: 1, remaining: 0 });
  const { rows } = await pool.query<{ sealed: Buffer }>('SELECT confirmed_payee_sealed AS sealed FROM rail_notices');
  expect(boundBox().open(rows[0]!.sealed, place)).toBe('digest');
});

test('a running change of an endpoint does not restore the earlier key', async () => {
  const id = newId();
  const place = secretPlace(book.id, id);
  const earlier = createSecretBox(oldKey).seal('whsec_secret', place);
  await pool.query(
    `INSERT INTO webhook_endpoints (book_id, id, url, events, status, secret_sealed, metadata, version, created_at, updated_at)
     VALUES ($1, $2, 'https://example.test/', '{*}', 'enabled', $3, '{}', 1, now(), now())`,
    [book.id, id, earlier],
  );
  const before = (await loadBook(pool, book.id))!;
  const rekeyed = await inTransaction(pool, async (trx) => {
    await lockBook(trx, book.id);
    const ended = run();
    const waiting =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%books%'";
    await until(async () => (await pool.query(waiting)).rowCount === 1);
    // A command that has read the endpoint before writes it back.
    await trx.query('UPDATE webhook_endpoints SET url = url, secret_sealed = $3 WHERE book_id = $1 AND id = $2', [
      ...[book.id, id, earlier],
    ]);
    return { ended };
  });
  const { status, result } = await rekeyed.ended;
  expect(status).toBe(0);
  expect(result['webhook_endpoints.secret_sealed']).toMatchObject({ changed: 1, remaining: 0 });
  const { rows } = await pool.query<{ sealed: Buffer }>('SELECT secret_sealed AS sealed FROM webhook_endpoints');
  expect(boundBox().open(rows[0]!.sealed, place)).toBe('whsec_secret');
  // The batch id is new: a batch decided ahead over the old state is decided again.
  expect((await loadBook(pool, book.id))!).toEqual({ ...before, batchId: expect.not.stringContaining(before.batchId) });
});

test('each earlier secret of a webhook endpoint is sealed again, and those beside it stay', async () => {
  const id = newId();
  const place = earlierSecretPlace(book.id, id);
  const until = Date.now() + 60_000;
  const sealed = (box: ReturnType<typeof createSecretBox>, secret: string) => ({
    sealed: box.seal(secret, place).toString('base64'),
    until,
  });
  const current = sealed(boundBox(), 'whsec_2');
  const earlier = [sealed(createSecretBox(oldKey), 'whsec_1'), current, sealed(createSecretBox(oldKey), 'whsec_3')];
  await pool.query(
    `INSERT INTO webhook_endpoints (book_id, id, url, events, status, secret_sealed, earlier_secrets, metadata, version, created_at,
       updated_at) VALUES ($1, $2, 'https://example.test/', '{*}', 'enabled', $3, $4, '{}', 1, now(), now())`,
    [book.id, id, boundBox().seal('whsec_0', secretPlace(book.id, id)), JSON.stringify(earlier)],
  );
  const { status, result } = await run();
  expect(status).toBe(0);
  expect(result.earlier_secrets).toMatchObject({ changed: 2, remaining: 0 });
  const { rows } = await pool.query<{ kept: { sealed: string; until: number }[] }>(
    'SELECT earlier_secrets AS kept FROM webhook_endpoints WHERE id = $1',
    [id],
  );
  const kept = rows[0]!.kept;
  expect(kept.map((one) => boundBox().open(Buffer.from(one.sealed, 'base64'), place))).toEqual([
    ...['whsec_1', 'whsec_2', 'whsec_3'],
  ]);
  expect(kept.map((one) => one.until)).toEqual([until, until, until]);
  expect(kept[1]).toEqual(current);
});

test('every sealed column is covered', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type = 'bytea' AND column_name LIKE '%sealed%' ORDER BY 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'bank_files.content_sealed',
    'bank_instructions.payee_sealed',
    'card_programs.previous_secret_sealed',
    'card_programs.secret_sealed',
    'cards.cardholder_sealed',
    'cards.shipping_sealed',
    'inbound_credits.remittance_sealed',
    'installation_secrets.sealed',
    'intake_files.key_sealed',
    'payees.destination_sealed',
    'payments.alias_sealed',
    'payments.billing_sealed',
    'payout_batch_items.content_sealed',
    'payout_resolutions.evidence_sealed',
    'payout_upload_errors.content_sealed',
    'payouts.destination_account_sealed',
    'payouts.destination_sealed',
    'rail_notices.confirmed_payee_sealed',
    'report_files.key_sealed',
    'webhook_endpoints.headers_sealed',
    'webhook_endpoints.previous_secret_sealed',
    'webhook_endpoints.secret_sealed',
    'webhook_endpoints.signing_key_sealed',
  ]);
});

test('a second run changes nothing', async () => {
  const { status, result } = await run('');
  expect(status).toBe(0);
  expect(result).toMatchObject({
    fingerprints: { changed: 0, remaining: 0 },
    'payouts.destination_sealed': { changed: 0, remaining: 0 },
  });
});

test('a value that does not open remains, is counted, and its key id is named', async () => {
  const strange = createSecretBox(randomBytes(32).toString('base64')).seal(
    'X',
    destinationPlace(ofPayout(book.id, payouts[0]!.payoutId)),
  );
  await pool.query('UPDATE payouts SET destination_sealed = $3 WHERE book_id = $1 AND id = $2', [
    book.id,
    payouts[0]!.payoutId,
    strange,
  ]);
  const { status, result } = await run();
  expect(status).toBe(1);
  expect(result['payouts.destination_sealed']).toEqual({ found: 30, changed: 0, remaining: 1 });
  expect(result.keys).toContainEqual({ id: strange.toString('hex', 1, 5), standing: 'missing', values: 1 });
});
