/**
 * Allows one running product per data folder. The lock file names its process by pid and mark, so that neither a killed
 * process nor another process with the same pid owns the folder.
 */

import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';
import { createSecretFile, readJsonFile, replaceSecretFile } from './secret-files.ts';

export interface Instance extends ProcessIdentity {
  startedAt: string;
  /** The API's address, once the API answers. */
  baseUrl?: string;
}

const FILE = 'instance.json';

/** Another running process owns the folder. */
export class AlreadyRunning extends Error {
  override name = 'AlreadyRunning';

  constructor(instance: Instance, directory: string) {
    const where = instance.baseUrl ? `at ${instance.baseUrl}` : 'and about to answer';
    super(
      `Countinghouse is already running (pid ${instance.pid}) ${where}, with its data in ${directory}.\n` +
        'Use that one, stop it with Ctrl-C in its terminal, or start another with COUNTINGHOUSE_DATA=another-folder PORT=0.',
    );
  }
}

export interface InstanceClaim {
  /** Publishes the API's address in the lock file. */
  announce(baseUrl: string): void;
  /** Removes the lock file. */
  remove(): void;
}

/** Claims the folder for this process. Throws AlreadyRunning. */
export function claimInstance(directory: string): InstanceClaim {
  const path = join(directory, FILE);
  let instance: Instance = { ...thisProcess(), startedAt: new Date().toISOString() };
  while (!createWhole(path, instance)) {
    const other = readJsonFile<Instance>(path);
    if (!other) continue;
    if (isAlive(other)) throw new AlreadyRunning(other, directory);
    removeDead(path, other);
  }
  return {
    announce(baseUrl) {
      instance = { ...instance, baseUrl };
      replaceSecretFile(path, instance);
    },
    remove() {
      rmSync(path, { force: true });
    },
  };
}

/** The running process that owns the folder, if any. */
export function runningInstance(directory: string): Instance | undefined {
  const instance = readJsonFile<Instance>(join(directory, FILE));
  return instance && isAlive(instance) ? instance : undefined;
}

/** Creates the file with its content, or not at all: a link fails if the path exists. False if it does. */
function createWhole(path: string, content: unknown): boolean {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  createSecretFile(draft, content);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes the lock file of a dead process. Two processes may find the same dead one, and the second may move the first
 * one's new file. So the moved file is checked, and put back if it names another process.
 */
function removeDead(path: string, dead: Instance): void {
  const moved = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(path, moved);
    const { pid, mark } = JSON.parse(readFileSync(moved, 'utf8')) as Instance;
    if (pid !== dead.pid || mark !== dead.mark) linkSync(moved, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(moved, { force: true });
  }
}
