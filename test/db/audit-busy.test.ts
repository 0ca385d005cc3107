/** The audit beside a book that grows faster than it can be read: rounds end, and everything is looked at. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudit } from '../../src/audit/audit.ts';
import { systemClock } from '../../src/clock.ts';
import { openBook, type TestBook, transfer } from '../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { corrupt } from '../support/verify-scene.ts';

/** More than a page of the audit. */
const GROWTH = 600;
/** Several times the dozen parts of two books with the pages of what they had when they were opened. */
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

test('a book that grows by more than a page between two turns does not hold the round open', async () => {
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
  // Of the quiet book, and of what the busy one had before.
  await corrupt(database.superuserUrl, [
    `UPDATE accounts SET lines = lines + 1 WHERE id = '${account}'`,
    `UPDATE accounts SET held_credits = held_credits + 1 WHERE id = '${to}'`,
  ]);
  await round();
  expect([...seen].sort()).toEqual(['account.held', 'account.totals']);
});
