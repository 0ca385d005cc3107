/** One key, one answer, for every caller and every repetition (API.md §1). */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropBodies, findAgedKeys } from '../../../src/idempotency/aged-answer-store.ts';
import type { IdempotencyRecord } from '../../../src/idempotency/idempotency-key.ts';
import { idempotencyKeyView } from '../../../src/idempotency/idempotency-key-view.ts';
import { idempotencyKeys } from '../../../src/idempotency/idempotency-table.ts';
import { type OnceAnswer, voidKey } from '../../../src/idempotency/once.ts';
import { runOnce } from '../../../src/idempotency/run-once.ts';
import { lockBook } from '../../../src/ledger/book/book-store.ts';
import { type AcceptPayout, acceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { toJson } from '../../../src/values/json.ts';
import { openBook, payoutRequest, type TestBook } from '../../support/book.ts';
import { eventually } from '../../support/eventually.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const PUBLIC_URL = 'https://api.test';
let database: TestDatabase;
let book: TestBook;
/** A second process on the same book. */
let other: TestBook;
let accountId: Uuid;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  other = await openBook({ database: database.applicationUrl, bookId: book.id });
  accountId = await book.account({ amount: 100_000n });
});

beforeEach(() => {
  key = newId();
});

afterAll(async () => {
  await other?.close();
  await book?.close();
  await database?.drop();
});

interface Asking {
  on?: TestBook;
  change?: Partial<AcceptPayout>;
  key?: string | null;
  deadlineMs?: number;
  dryRun?: boolean;
}

/** A payout request as the API makes it: the fingerprint is that of its body. */
const ask = ({ on = book, change = {}, key: given = key, ...options }: Asking = {}): Promise<OnceAnswer> => {
  const body = JSON.stringify({ amount: String(change.amount ?? 1_000n), currency: change.currency ?? 'EUR' });
  const requestId = newId();
  return runOnce(
    { pool: on.pool, committer: on.committer, fingerprints: PLAIN_FINGERPRINTS, publicUrl: PUBLIC_URL },
    {
      bookId: book.id,
      key: given,
      fingerprint: createHash('sha256').update(body).digest(),
      requestId,
      command: acceptPayout(
        payoutRequest(book.id, { accountId, idempotencyKey: given ?? newId(), requestId, ...change }),
      ),
      ...options,
    },
  );
};

const payouts = async () => (await book.row<{ n: bigint }>('SELECT count(*) AS n FROM payouts WHERE book_id = $1')).n;
const bodyOf = ({ body }: { body: string }) => JSON.parse(body);

describe('the same request', () => {
  test('a hundred times at once over two processes makes one payout and a hundred equal answers', async () => {
    const before = await payouts();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => ask({ on: at % 2 === 0 ? book : other })));
    expect(await payouts()).toBe(before + 1n);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    const held = await book.row(
      'SELECT count(*) AS n FROM holds h JOIN payouts p ON p.hold_id = h.id WHERE p.book_id = $1 AND p.id = $2',
      answers[0]!.resourceId,
    );
    expect(held).toEqual({ n: 1n });
  });

  test('later gets the first answer byte for byte, whatever the payout has become', async () => {
    const first = await ask();
    const payout = await book.row<{ id: Uuid }>(
      'SELECT id FROM payouts WHERE book_id = $1 AND id = $2',
      first.resourceId,
    );
    await book.pool.query('UPDATE payouts SET rail_reference = $3 WHERE book_id = $1 AND id = $2', [
      book.id,
      payout.id,
      'changed',
    ]);
    expect(await ask()).toEqual({ ...first, replayed: true });
  });

  test('that was refused gets the same refusal, even when it would succeed now', async () => {
    const poor = await book.account({ amount: 10n });
    const refused = await ask({ change: { accountId: poor } });
    expect(bodyOf(refused)).toMatchObject({ status: 422, code: 'insufficient_funds', available: 10, required: 1_005 });
    await book.fund(poor, 10_000n);
    expect(await ask({ change: { accountId: poor } })).toEqual({ ...refused, replayed: true });
  });

  test('without a key is a new request each time', async () => {
    const [one, two] = [await ask({ key: null }), await ask({ key: null })];
    expect(one.resourceId).not.toBe(two.resourceId);
  });

  test('as a dry run uses no key and writes nothing', async () => {
    const before = await payouts();
    const dry = await ask({ dryRun: true, change: { dryRun: true } });
    expect(bodyOf(dry)).toMatchObject({ dry_run: true });
    expect([await payouts(), await idempotencyKeys.find(book.pool, book.id, key)]).toEqual([before, undefined]);
    expect(await ask()).toMatchObject({ status: 202, replayed: false });
  });
});

describe('another request under the same key', () => {
  test('is refused, and the answer names the first request and its payout', async () => {
    const first = await ask();
    const second = await ask({ change: { amount: 2_000n } });
    expect(second).toMatchObject({ status: 422, replayed: false });
    expect(bodyOf(second)).toMatchObject({
      code: 'idempotency_key_reused',
      resource: publicId('payout', first.resourceId!),
      first_request_id: bodyOf(first).request_id,
    });
  });

  test('in the same batch is refused too: the first one has the key', async () => {
    const before = await payouts();
    const answers = await Promise.all([ask(), ask({ change: { amount: 2_000n } }), ask()]);
    expect(answers.map(({ status }) => status)).toEqual([202, 422, 202]);
    expect(answers[2]).toEqual({ ...answers[0], replayed: true });
    expect(await payouts()).toBe(before + 1n);
  });
});

test('a key of one book is unknown in another', async () => {
  const elsewhere = await openBook({ database: book.pool });
  const theirs = await elsewhere.account({ amount: 5_000n });
  await ask();
  const answer = await runOnce(
    { pool: elsewhere.pool, committer: elsewhere.committer, fingerprints: PLAIN_FINGERPRINTS, publicUrl: PUBLIC_URL },
    {
      bookId: elsewhere.id,
      key,
      fingerprint: Buffer.alloc(32),
      requestId: newId(),
      command: acceptPayout(payoutRequest(elsewhere.id, { accountId: theirs, idempotencyKey: key })),
    },
  );
  expect(answer).toMatchObject({ status: 202, replayed: false });
  await elsewhere.close();
});

describe('a voided key', () => {
  const voiding = async (on = book): Promise<IdempotencyRecord> => {
    const { status, body } = await on.submit(voidKey({ key, requestId: newId() }));
    const record = (await idempotencyKeys.find(on.pool, on.id, key))!;
    expect({ status, body: body.text }).toEqual({ status: 200, body: toJson(idempotencyKeyView(record, false)) });
    return record;
  };

  test('never does anything', async () => {
    expect(await voiding()).toMatchObject({ key, status: null, voidedAt: expect.any(Number) });
    const before = await payouts();
    expect(bodyOf(await ask())).toMatchObject({ status: 422, code: 'idempotency_key_voided' });
    expect(await payouts()).toBe(before);
  });

  test('that is already used stays used, and the answer names its payout', async () => {
    const { resourceId } = await ask();
    expect(await voiding()).toMatchObject({ resource: 'payout', resourceId, voidedAt: null });
  });

  test('that is voided twice has one record', async () => {
    expect(await voiding()).toEqual(await voiding(other));
  });

  test('races its own request: either a payout or a voided key, never both', async () => {
    for (let round = 0; round < 20; round++) {
      key = newId();
      const before = await payouts();
      const [record, answer] = await Promise.all([voiding(round % 2 === 0 ? book : other), ask()]);
      const voided = record.voidedAt !== null;
      expect(answer.status).toBe(voided ? 422 : 202);
      expect(await payouts()).toBe(before + (voided ? 0n : 1n));
    }
  });
});

describe('after the retention time', () => {
  test('the body is gone, the key stays, and nothing is paid twice', async () => {
    const first = await ask();
    const aged = await findAgedKeys(book.pool, { before: Date.now() + 60_000, limit: 1_000 });
    expect(aged).toContainEqual({ bookId: book.id, key });
    await dropBodies(
      book.pool,
      book.id,
      aged.filter((each) => each.key === key),
    );
    const before = await payouts();
    const again = await ask();
    expect(again).toMatchObject({ status: 422, replayed: false });
    expect(bodyOf(again)).toMatchObject({
      code: 'idempotency_key_reused',
      resource: publicId('payout', first.resourceId!),
    });
    expect(await payouts()).toBe(before);
    expect(await idempotencyKeys.find(book.pool, book.id, key)).toMatchObject({
      status: 202,
      body: null,
      resourceId: first.resourceId,
    });
  });
});

describe('a wait that runs out', () => {
  /** Locks the book, so that no batch commits until the returned function is called. */
  const holdLock = async () => {
    const holder = await other.pool.connect();
    await holder.query('BEGIN');
    await lockBook(holder, book.id);
    return async () => {
      await holder.query('ROLLBACK');
      holder.release();
    };
  };

  test('is 409 for a duplicate of a running request, 503 for the first', async () => {
    const impatient = await openBook({ database: database.applicationUrl, bookId: book.id, poolSize: 1 });
    await impatient.pool.query("SET lock_timeout = '50ms'");
    const release = await holdLock();
    const asked = [ask({ on: impatient, deadlineMs: 10 }), ask({ on: impatient, deadlineMs: 10 })];
    const results = await Promise.allSettled(asked);
    await release();
    expect(results.map((result) => (result.status === 'rejected' ? result.reason.code : 'answered'))).toEqual([
      'idempotency_in_progress',
      'service_unavailable',
    ]);
    expect(await idempotencyKeys.find(book.pool, book.id, key)).toBeUndefined();
    expect(await ask()).toMatchObject({ status: 202, replayed: false });
    await impatient.close();
  });

  test('does not cancel the request: it may commit later, and a repetition gets its answer', async () => {
    const release = await holdLock();
    const slow = ask();
    await eventually(async () => {
      const { rows } = await other.pool.query(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      expect(rows[0].n).toBe(1n);
    });
    const repeated = ask({ on: other });
    await release();
    const [first, second] = await Promise.all([slow, repeated]);
    expect(first.body).toBe(second.body);
    expect([first.replayed, second.replayed].sort()).toEqual([false, true]);
  });
});
