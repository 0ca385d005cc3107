/** What Postgres knows of its tables, kept as a test has made it: plans, and counts of rows, are then of the test alone. */
import pg from 'pg';
import type { Pool } from '../../src/db/pool.ts';
import type { TestDatabase } from './postgres.ts';

/** From now on nobody but the test analyzes or vacuums a table of the database, and a vacuum that runs gives way. */
export async function stopAutovacuum({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  await client.query(`DO $$ DECLARE one regclass; BEGIN
    FOR one IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relpersistence = 'p'
      AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    LOOP EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', one); END LOOP;
  END $$`);
  await client.end();
}

/** Sends what each idle connection has counted so far: by itself it does so after ten seconds, in the middle of a slow test. */
export async function reportCounts(pool: Pool): Promise<void> {
  const connections = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  await Promise.all(connections.map((connection) => connection.query('SELECT pg_stat_force_next_flush()')));
  for (const connection of connections) connection.release();
}
