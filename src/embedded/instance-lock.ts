/**
 * One running product in a data folder. The file names its process by pid and mark, so that neither a killed process nor a
 * stranger with its number holds the folder.
 */

import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';
import { createSecretFile, readJsonFile, replaceSecretFile } from './secret-files.ts';

export interface Instance extends ProcessIdentity {
  startedAt: string;
  /** The API's address, once it answers. */
  baseUrl?: string;
}

const FILE = 'instance.json';

/** Another living process has the folder. */
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
  /** Tells others where the API answers. */
  announce(baseUrl: string): void;
  release(): void;
}

/** Takes the folder for this process. Throws AlreadyRunning. */
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
    release() {
      rmSync(path, { force: true });
    },
  };
}

/** The living process that has the folder. */
export function runningInstance(directory: string): Instance | undefined {
  const instance = readJsonFile<Instance>(join(directory, FILE));
  return instance && isAlive(instance) ? instance : undefined;
}

/** Creates the file with its content, or not at all: a link is made only where nothing is. */
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

/** Two processes may find the same dead one. Whoever moves the file looks at what it moved, and puts a living one back. */
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
