/** The pool of the schedules: a process that dies at the end of a transaction leaves its connection to others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createLogger } from '../../src/process/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { gatedPool } from './schedule/gated-pool.ts';
import { Scheduler } from './schedule/scheduler.ts';
import { SeededRandom } from './schedule/seeded-random.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

test.each(['dies before', 'dies after'] as const)(
  'what a process sends after it %s its commit goes nowhere',
  async (fault) => {
    const scheduler = new Scheduler(new SeededRandom(1), { still: 0 });
    const owner = { name: 'process', isAlive: true };
    const connecting = gatedPool(scheduler, owner, pool).connect();
    const passed = scheduler.letOne({ [fault]: 1 });
    const dead = await connecting;
    await dead.query('BEGIN');
    void dead.query('COMMIT');
    await passed;
    expect(owner.isAlive).toBe(false);

    const next = await pool.connect();
    try {
      await next.query('BEGIN');
      void dead.query('ROLLBACK');
      dead.release();
      expect(pool.idleCount).toBe(0);
      const { rows } = await next.query('SELECT statement_timestamp() > transaction_timestamp() AS still_open');
      expect(rows).toEqual([{ still_open: true }]);
    } finally {
      await next.query('ROLLBACK');
      next.release();
    }
  },
);
