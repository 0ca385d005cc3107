/**
 * Small JSON files in the data folder. A secret file is created readable only by its owner, and never through a link.
 */

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** Creates the file with mode 0600. Throws EEXIST when the path exists as anything. */
export function createSecretFile(path: string, content: unknown): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeSync(descriptor, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the file in one step: a reader sees the old content or the new, even after a crash. */
export function replaceSecretFile(path: string, content: unknown): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    createSecretFile(draft, content);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * The file's content, or undefined without a file. Throws EmbeddedPostgresError for a file that cannot be read or
 * parsed.
 */
export function readJsonFile<Content>(path: string): Content | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new EmbeddedPostgresError(
      `${path} cannot be read (${code}).`,
      'Start as the user who made it, or name another folder in COUNTINGHOUSE_DATA.',
      { cause: error },
    );
  }
  try {
    return JSON.parse(text) as Content;
  } catch (error) {
    throw new EmbeddedPostgresError(`${path} is not JSON.`, 'Restore it from a backup of the folder.', {
      cause: error,
    });
  }
}
