import { migrationSource } from '../../migrations/index.ts';

/** The names of all migrations of this code, in order. */
export async function migrationNames(): Promise<string[]> {
  const migrations = await migrationSource.getMigrations([]);
  return migrations.map((migration) => migrationSource.getMigrationName(migration));
}
