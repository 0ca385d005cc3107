/** Holds in numbers that a tenant can make: none of them may cost another reader more than its own page. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findHold, listAccountHolds } from '../../../src/accounts/holds/account-hold-store.ts';
import { increaseHold, releaseHold } from '../../../src/accounts/holds/change-hold.ts';
import { placeAccountHold } from '../../../src/accounts/holds/place-hold.ts';
import { createPool } from '../../../src/db/pool.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { readOddSteps } from '../../../src/verify/hold-step-store.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

/** More than the candidates of a page. */
const ENDED = 2_500;
/** A minute of partial releases. */
const STEPS = 10_000;

let database: TestDatabase;
let book: TestBook;
let superuser: pg.Client;
let accountId: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  accountId = await book.account({ amount: 1_000_000n });
  superuser = new pg.Client({ connectionString: database.superuserUrl });
  await superuser.connect();
  await superuser.query('SET session_replication_role = replica');
});

afterAll(async () => {
  await superuser?.end();
  await book?.close();
  await database?.drop();
});

async function place(): Promise<Uuid> {
  const placed = await book.submit(
    placeAccountHold({
      ...{ accountId, amount: 20_000n, expiresAt: null, description: null, externalId: null, metadata: {} },
      ...{ requestId: newId(), actor: 'test' },
    }),
  );
  if (placed.refused) throw new Error(placed.refused);
  return placed.resourceId!;
}

test('the open holds of an account fill a page, however many have ended since', async () => {
  const open = [await place(), await place()];
  await superuser.query(
    `INSERT INTO account_holds (book_id, id, account_id, currency, status, amount, captured, released, entry_ids, request_id,
       version, created_at, updated_at)
     SELECT $1, ('ffffffff-ffff-7fff-bfff-' || lpad(to_hex(n), 12, '0'))::uuid, $2, 'EUR', 'released', 5, 0, 5, '[]', $1, 2, now(), now()
     FROM generate_series(1, $3) n`,
    [book.id, accountId, ENDED],
  );
  const page = await listAccountHolds(book.pool, book.id, { accountId, statuses: ['open'] }, { limit: 20 });
  expect(page.rows.map(({ id }) => id)).toEqual(open.reverse());
  expect(page.hasMore).toBe(false);
});

test('ten thousand steps of one hold are verified within the time of a statement', async () => {
  const holdId = await place();
  await superuser.query(
    `INSERT INTO hold_steps (book_id, hold_id, ordinal, kind, amount, created_at)
     SELECT $1, $2, n, 'released', 1, created_at + n * interval '1 ms' FROM hold_steps, generate_series(2, $3) n
     WHERE book_id = $1 AND hold_id = $2`,
    [book.id, holdId, STEPS],
  );
  await superuser.query('UPDATE holds SET steps = $3 WHERE book_id = $1 AND id = $2', [book.id, holdId, STEPS]);
  await superuser.query(
    `INSERT INTO events (book_id, sequence, id, type, object_id, request_id, actor, created_at, payload)
     SELECT $1, 1000000 + ordinal, gen_random_uuid(), 'hold.released', $2, $1, 'test', created_at, '{}' FROM hold_steps
     WHERE book_id = $1 AND hold_id = $2 AND ordinal > 1`,
    [book.id, holdId],
  );
  // As the plan is made when nobody has counted the rows yet: with the statement limit of the application's role.
  const pool = createPool({ url: database.applicationUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  await pool.query('SET plan_cache_mode = force_generic_plan');
  const { odd } = await readOddSteps(pool, book.id, { after: undefined, limit: 500 });
  expect(odd).toEqual([]);
  await superuser.query(
    `UPDATE hold_steps SET created_at = '2030-01-01' WHERE book_id = $1 AND hold_id = $2 AND ordinal = 777`,
    [book.id, holdId],
  );
  const { odd: found } = await readOddSteps(pool, book.id, { after: undefined, limit: 500 });
  expect(found).toMatchObject([{ holdId, ordinal: 777, matched: false, possible: true }]);
  await pool.end();
});

test('a hold that was changed ten thousand times only ends', async () => {
  const holdId = await place();
  await superuser.query('UPDATE account_holds SET version = 10001 WHERE book_id = $1 AND id = $2', [book.id, holdId]);
  const change = async (action: typeof releaseHold | typeof increaseHold, amount: bigint) => {
    const { placed } = (await findHold(book.pool, book.id, holdId))!;
    return book.submit(action(placed!, { amount, requestId: newId(), actor: 'test' }));
  };
  expect(await change(releaseHold, 1n)).toMatchObject({ refused: 'limit_exceeded', facts: { limit: 10_000 } });
  expect(await change(increaseHold, 20_001n)).toMatchObject({ refused: 'limit_exceeded' });
  expect(await change(releaseHold, 20_000n)).toMatchObject({ status: 200 });
});
