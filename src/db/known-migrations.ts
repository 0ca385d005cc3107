import { migrationSource } from '../../migrations/index.ts';

/** Names of every migration this code knows, in order. */
export async function migrationNames(): Promise<string[]> {
  const migrations = await migrationSource.getMigrations([]);
  return migrations.map((migration) => migrationSource.getMigrationName(migration));
}
