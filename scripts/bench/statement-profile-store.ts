/** The statements that kept Postgres busy during a profiled bench, by its own count (pg_stat_statements). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPool } from '../../src/db/pool.ts';
import type { ThrowawayPostgres } from '../../src/embedded/throwaway-postgres.ts';
import { createLogger } from '../../src/process/log.ts';
import type { Closing } from './closing.ts';

/** A VACUUM of gigabytes on a slow disk. */
const QUERY_TIMEOUT_MS = 600_000;

export const COUNT_STATEMENTS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.track_planning': 'on',
};

/** Counts from now on. The server must run with COUNT_STATEMENTS. */
export async function countStatements(postgres: ThrowawayPostgres): Promise<void> {
  await ask(postgres, 'CREATE EXTENSION pg_stat_statements');
}

/** At the end, the most expensive statements are written to `statements.json`. */
export function writeStatements(postgres: ThrowawayPostgres, folder: string, closing: Closing): void {
  mkdirSync(folder, { recursive: true });
  closing.add('statements', async () => {
    const rows = await ask(
      postgres,
      `SELECT calls::float8, round(total_exec_time)::int AS total_ms,  round((total_exec_time / calls)::numeric, 3)::float8 AS mean_ms, rows::float8,
          round(total_plan_time)::int AS plan_ms, shared_blks_hit::float8, wal_bytes::float8, regexp_replace(left(query, 150), '\\s+', ' ', 'g') AS query
        FROM pg_stat_statements WHERE calls > 0 ORDER BY total_exec_time DESC LIMIT 60`,
    );
    writeFileSync(join(folder, 'statements.json'), `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
  });
}

/** Asks as superuser, in the database `postgres` unless another is named. */
export async function ask<Row extends object>(
  postgres: ThrowawayPostgres,
  text: string,
  database = 'postgres',
): Promise<Row[]> {
  const log = createLogger('warn', 'bench');
  const url = postgres.urlFor('superuser', database);
  const pool = createPool({ url, name: 'bench', size: 1, log, queryTimeoutMs: QUERY_TIMEOUT_MS });
  try {
    return (await pool.query<Row>(text)).rows;
  } finally {
    await pool.end();
  }
}
