/** What a run costs Postgres, by its own counters. */
import { DATABASE } from '../../../src/embedded/logins.ts';
import type { ThrowawayPostgres } from '../../../src/embedded/throwaway-postgres.ts';
import { ask } from '../statement-profile-store.ts';

export interface PostgresCounters {
  readonly commits: number;
  readonly statements: number;
  readonly walBytes: number;
}

/** Counted since the server started. A connection reports its commits a second late. */
export async function readCounters(postgres: ThrowawayPostgres): Promise<PostgresCounters> {
  const [row] = await ask<PostgresCounters>(
    postgres,
    `SELECT (SELECT sum(xact_commit) FROM pg_stat_database)::float8 AS commits,
        (SELECT sum(calls) FROM pg_stat_statements)::float8 AS statements,
        (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS "walBytes"`,
  );
  return row!;
}

/** Bytes on disk of the product's tables with their indexes, after VACUUM: without the sandbox's records and the queues. */
export async function vacuumedBytes(postgres: ThrowawayPostgres): Promise<number> {
  await ask(postgres, 'VACUUM', DATABASE);
  const [row] = await ask<{ bytes: number }>(
    postgres,
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT LIKE 'sandbox%'`,
    DATABASE,
  );
  return row!.bytes;
}
