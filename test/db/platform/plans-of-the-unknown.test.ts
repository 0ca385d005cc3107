/**
 * Statements that choose rows of one owner and change them, as they are planned for an owner that statistics do not know: a book of
 * today. The planner expects one row of it, so a list that it may make again for each row would be made as often as there are rows.
 * Each must do work in proportion to its rows, whatever the planner expects.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settleAtSandbox } from '../../../src/acquirers/sandbox-settlement-store.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { placeForeignNotices } from '../../../src/outside/notices/notice-store.ts';
import { deletePartnerNotices } from '../../../src/outside/notices/partner-notice-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { lookInto } from '../../support/product.ts';
import { stopAutovacuum } from '../../support/statistics.ts';

const FRESH = newId();
/** As many captures as the finding had. Each tenth is refunded; every refund fails, after a payday or before. */
const LINES = 600;

let database: TestDatabase;
let behind: Pool;
/** With the settings of the application's role, which the planner heeds. */
let application: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  // Statistics must not get to know the fresh owner.
  await stopAutovacuum(database);
  behind = lookInto(database);
  application = createPool({
    url: database.applicationUrl,
    name: 'test',
    size: 1,
    log: createLogger('silent', 'test'),
  });
  await fill(Array.from({ length: 100 }, newId), 20);
  await behind.query('ANALYZE');
  await fill([FRESH], LINES);
});
afterAll(async () => {
  await application?.end();
  await behind?.end();
  await database?.drop();
});

/** Records of the sandbox acquirer, and notices of partners, of these owners. */
async function fill(owners: readonly string[], count: number): Promise<void> {
  const of = `unnest($1::text[]) AS o (owner), generate_series(1, $2) AS n (number)`;
  await behind.query(
    `INSERT INTO sandbox_acquirer.instructions (originator, reference, kind, amount, currency, status, captures, authorized, captured,
       acquirer_reference, submissions, received_at, settled_by)
     SELECT owner, owner || ' ' || number, CASE WHEN number % 10 = 0 THEN 'refund' ELSE 'capture' END, 100, 'EUR', 'succeeded', false, 0, 0,
       'A' || number, 1, now(), CASE WHEN number % 20 = 0 THEN 'paid before' END FROM ${of}`,
    [owners, count],
  );
  await behind.query(
    `INSERT INTO sandbox_acquirer.notices (id, originator, reference, kind, amount, dispute, created_at)
     SELECT gen_random_uuid(), owner, owner || ' ' || number, CASE WHEN number % 10 = 0 THEN 'refund_failed' ELSE kind END, 100,
       CASE WHEN number % 10 > 0 THEN 'D' || number END, now()
     FROM ${of}, unnest(ARRAY['dispute_chargeback', 'dispute_won']) AS k (kind) WHERE number % 10 > 0 OR kind = 'dispute_won'`,
    [owners, count],
  );
  await behind.query(
    `INSERT INTO partner_notices (partner, id, webhook_id, body_digest, body, received_at, acknowledged_at)
     SELECT owner, gen_random_uuid(), number, '', '', now(), now() - CASE WHEN owner = $3 THEN interval '9 days' ELSE '0 s' END FROM ${of}`,
    [owners, count, FRESH],
  );
  await behind.query(
    `INSERT INTO foreign_notices (rail, id, originator, notice, created_at, book_id)
     SELECT owner, gen_random_uuid(), 'nobody', '{}', now(), CASE WHEN owner <> $3 THEN gen_random_uuid() END FROM ${of}`,
    [owners, count, FRESH],
  );
}

interface Node {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Node[];
}

/** Rows that the nodes of a plan met, in all their loops. */
function rowsMet(node: Node): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  const own = (node['Actual Rows'] + removed + 1) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsMet(plan), own);
}

/** A pool that carries statements out and counts the rows that they met. */
function counting(db: Pool): { pool: Pool; met: number[] } {
  const met: number[] = [];
  const query = async (text: string, values?: unknown[]) => {
    if (!/^\s*(WITH|UPDATE|DELETE|SELECT)/.test(text)) return db.query(text, values);
    const { rows } = await db.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    met.push(rowsMet(rows[0]['QUERY PLAN'][0].Plan));
    return { rows: [], rowCount: 0 };
  };
  return { met, pool: { query, connect: async () => ({ query, release: () => undefined }) } as unknown as Pool };
}

const ofFresh = async (what: string): Promise<number> =>
  (await behind.query(`SELECT count(*)::int AS found FROM ${what}`, [FRESH])).rows[0].found;

test('a payday of a fresh book meets each of its lines a few times', async () => {
  const taken = await behind.query<{ id: Uuid; kind: string; dispute: string }>(
    `SELECT id, kind, dispute FROM sandbox_acquirer.notices WHERE originator = $1 AND dispute IS NOT NULL`,
    [FRESH],
  );
  const idsOf = (kind: string) => taken.rows.filter((row) => row.kind === kind);
  const disputes = {
    taken: idsOf('dispute_chargeback').map(({ id }) => id),
    won: idsOf('dispute_won').map(({ dispute }) => dispute),
  };
  const { pool, met } = counting(application);
  const settlement = {
    key: newId(),
    originator: FRESH,
    before: Date.now() + 60_000,
    except: [],
    disputes,
    limit: 50_000,
  };
  await settleAtSandbox(pool, settlement);
  expect(await ofFresh('sandbox_acquirer.instructions WHERE originator = $1 AND settled_by IS NOT NULL')).toBe(570);
  expect(await ofFresh('sandbox_acquirer.notices WHERE originator = $1 AND settled_by IS NOT NULL')).toBe(1_110);
  expect(Math.max(...met), met.join(', ')).toBeLessThan(LINES * 25);
});

test('what partners told long ago is deleted, each row by its key', async () => {
  const { pool, met } = counting(application);
  await deletePartnerNotices(pool, { before: Date.now() - 86_400_000, limit: 10_000 });
  expect(await ofFresh('partner_notices WHERE partner = $1')).toBe(0);
  expect(Math.max(...met)).toBeLessThan(LINES * 10);
});

test('notices about nobody we know are given their book, each row by its key', async () => {
  const { pool, met } = counting(behind);
  await placeForeignNotices(pool, newId());
  expect(await ofFresh('foreign_notices WHERE rail = $1 AND book_id IS NOT NULL')).toBe(LINES);
  expect(Math.max(...met)).toBeLessThan(LINES * 12);
});
