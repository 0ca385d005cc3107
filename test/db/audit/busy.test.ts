/** The audit of a book that grows faster than the audit reads: rounds end, and every row is checked. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import { createPool } from '../../../src/db/pool.ts';
import { GROUPS } from '../../../src/groups.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { corrupt } from '../../support/verify-scene.ts';

/** More than one page of the audit. */
const GROWTH = 600;
/**
 * Several times the turns that a round takes: a dozen parts a book, and the pages that existed when the round began.
 */
const TURNS = 300;

let database: TestDatabase;
let busy: TestBook;
let quiet: TestBook;

beforeEach(async () => {
  database = await createTestDatabase();
  busy = await openBook({ database: database.applicationUrl });
  quiet = await openBook({ database: busy.pool });
});

afterEach(async () => {
  await busy?.close();
  await database?.drop();
});

/** An audit whose book grows before each turn; `round` plays turns until a round ends, `seen` are the kinds found. */
function auditWhile(grow: () => Promise<unknown>) {
  const seen = new Set<string>();
  const audit = createAudit({
    groups: GROUPS,
    ...{ pool: busy.pool, clock: systemClock, log: pino({ level: 'silent' }) },
    counts: {
      rows() {},
      findings: (byKind) => {
        for (const kind of byKind.keys()) seen.add(kind);
      },
      round() {},
    },
  });
  const round = async () => {
    for (let turn = 0; turn < TURNS; turn++) {
      await grow();
      if (await audit.turn()) return;
    }
    throw new Error('The round does not end');
  };
  return { round, seen };
}

test('a book whose accounts and keys come faster than a page a turn, in whatever order, does not keep the round open', async () => {
  const superuser = createPool({ url: database.superuserUrl, name: 'growth', size: 1, log: pino({ level: 'silent' }) });
  let grown = 0;
  const { round, seen } = auditWhile(async () => {
    const ids = Array.from({ length: GROWTH }, () => newId());
    await superuser.query(
      `INSERT INTO accounts (book_id, id, code, side, currency, status)
       SELECT $1, id, 'customer', 'credit', 'EUR', 'open' FROM unnest($2::uuid[]) AS id`,
      [quiet.id, ids],
    );
    // Callers count up: every new key lies behind the ones before.
    await superuser.query(
      `INSERT INTO idempotency_keys (book_id, key, fingerprint, status, body, request_id, created_at)
       SELECT $1, 'order-' || lpad(($2 + number)::text, 12, '0'), '\\x00', 422, '{}', $3, now() FROM generate_series(1, $4) AS number`,
      [quiet.id, grown, newId(), GROWTH],
    );
    grown += GROWTH;
  });
  await superuser.query(
    `INSERT INTO idempotency_keys (book_id, key, fingerprint, status, body, request_id, created_at)
     VALUES ($1, 'zero', '\\x00', 429, '{}', $2, now())`,
    [quiet.id, newId()],
  );
  await round();
  // Behind all the new ones, and found.
  expect([...seen]).toContain('idempotency.answer');
  await superuser.end();
});

test('nor does one whose entries do', async () => {
  const [from, to] = [await busy.account({ amount: 1_000_000n }), await busy.account()];
  const account = await quiet.account({ amount: 5n });
  const { round, seen } = auditWhile(() =>
    Promise.all(Array.from({ length: GROWTH }, () => busy.submit(transfer({ from, to, amount: 1n })))),
  );
  await round();
  // One finding in the quiet book, and one in rows that the busy book already had.
  await corrupt(database.superuserUrl, [
    `UPDATE accounts SET lines = lines + 1 WHERE id = '${account}'`,
    `UPDATE accounts SET held_credits = held_credits + 1 WHERE id = '${to}'`,
  ]);
  await round();
  expect([...seen].sort()).toEqual(['account.held', 'account.totals']);
});
