/**
 * Every migration, in order: the files of this folder that begin with a number. Each is named as its file is, without the
 * ending, so that source and build agree on which ones have run.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';

interface NamedMigration {
  name: string;
  migration: Knex.Migration;
}

/** The build has maps of its files beside them. */
const NAMED = /^(\d{4}-[a-z0-9-]+)\.(?:ts|js)$/;

async function readMigrations(): Promise<NamedMigration[]> {
  const files = readdirSync(import.meta.dirname).sort();
  return Promise.all(
    files.flatMap((file) => {
      const name = NAMED.exec(file)?.[1];
      return name === undefined ? [] : [load(name, file)];
    }),
  );
}

async function load(name: string, file: string): Promise<NamedMigration> {
  return { name, migration: (await import(join(import.meta.dirname, file))) as Knex.Migration };
}

export const migrationSource: Knex.MigrationSource<NamedMigration> = {
  getMigrations: readMigrations,
  getMigrationName: ({ name }) => name,
  getMigration: ({ migration }) => Promise.resolve(migration),
};
