/** The audit of a book that grows faster than the audit reads: rounds end, and every row is checked. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import { systemClock } from '../../../src/clock.ts';
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

beforeAll(async () => {
  database = await createTestDatabase();
  busy = await openBook({ database: database.applicationUrl });
  quiet = await openBook({ database: busy.pool });
});

afterAll(async () => {
  await busy?.close();
  await database?.drop();
});

test('a book that grows by more than a page between two turns does not keep the round open', async () => {
  const [from, to] = [await busy.account({ amount: 1_000_000n }), await busy.account()];
  const account = await quiet.account({ amount: 5n });
  const seen = new Set<string>();
  const audit = createAudit({
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
      await Promise.all(Array.from({ length: GROWTH }, () => busy.submit(transfer({ from, to, amount: 1n }))));
      if (await audit.turn()) return;
    }
    throw new Error('The round does not end');
  };
  await round();
  // One finding in the quiet book, and one in rows that the busy book already had.
  await corrupt(database.superuserUrl, [
    `UPDATE accounts SET lines = lines + 1 WHERE id = '${account}'`,
    `UPDATE accounts SET held_credits = held_credits + 1 WHERE id = '${to}'`,
  ]);
  await round();
  expect([...seen].sort()).toEqual(['account.held', 'account.totals']);
});
