/** Taken notices are deleted after their retention, others stay; a notice about a book that is not ours is settled once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import type { SweepContext } from '../../../src/group/group.ts';
import {
  countForeignNotices,
  listForeignNotices,
  resolveForeignNotice,
} from '../../../src/outside/notices/foreign-notice-store.ts';
import { pruneNotices } from '../../../src/outside/notices/prune-notices.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const NOW = Date.parse('2026-03-01T00:00:00.000Z');
const DAY_MS = 86_400_000;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 2, log: createLogger('silent', 'test') });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

test('taken notices of any book are deleted by age, and no others', async () => {
  const add = (status: string, daysAgo: number) =>
    pool.query(
      `INSERT INTO rail_notices (book_id, rail, id, end_to_end_id, kind, reference, notice, status, told_at, created_at, updated_at)
       VALUES ($1, 'sandbox', $2, 'E', 'paid', 'r', '{}', $3, $4, $4, $4)`,
      [newId(), newId(), status, new Date(NOW - daysAgo * DAY_MS)],
    );
  for (const status of ['waiting', 'taken', 'exception']) for (const days of [29, 31, 300]) await add(status, days);
  const context = { pool, clock: { now: () => NOW }, config: { NOTICE_RETENTION_DAYS: 30 } } as unknown as SweepContext;
  const [sweep] = pruneNotices(context);
  expect(await sweep!.round()).toBe(2);
  expect(await sweep!.round()).toBe(0);
  const { rows } = await pool.query('SELECT status, count(*)::integer AS kept FROM rail_notices GROUP BY 1 ORDER BY 1');
  expect(rows).toEqual([
    { status: 'exception', kept: 3 },
    { status: 'taken', kept: 1 },
    { status: 'waiting', kept: 3 },
  ]);
});

test('a foreign notice is counted and listed until somebody settles it, once, and is kept', async () => {
  const id = newId();
  await pool.query(
    `INSERT INTO foreign_notices (rail, id, originator, notice, created_at) VALUES ('sandbox', $1, 'nobody', '{}', $2)`,
    [id, new Date(NOW)],
  );
  expect(await countForeignNotices(pool)).toBe(1);
  expect(await listForeignNotices(pool, 10)).toEqual([{ rail: 'sandbox', id, originator: 'nobody', createdAt: NOW }]);
  const by = (actor: string) =>
    resolveForeignNotice(pool, { rail: 'sandbox', id }, { actor, reason: 'Of the old installation', at: NOW });
  expect(await Promise.all([by('operator:alice'), by('operator:bob')])).toContain(false);
  expect(await by('operator:carol')).toBe(false);
  expect(await countForeignNotices(pool)).toBe(0);
  expect(await listForeignNotices(pool, 10)).toEqual([]);
  const { rows } = await pool.query('SELECT settled_reason, settled_by FROM foreign_notices');
  expect(rows).toMatchObject([{ settled_reason: 'Of the old installation' }]);
});
