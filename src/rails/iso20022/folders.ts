/** Steps on the folders of a bank that survive a power cut: a name is there once its folder is synced. */
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BankFolders } from './bank-settings.ts';

/** Renames and links work within one file system alone. */
const TOGETHER: readonly (readonly (keyof BankFolders)[])[] = [
  ['staging', 'sent', 'outbox'],
  ['inbox', 'done', 'quarantine'],
];
const OWN: readonly (keyof BankFolders)[] = ['staging', 'sent', 'done', 'quarantine'];

/** Makes the rail's own folders. Throws Error naming those that are missing, or on different file systems. */
export async function checkFolders(folders: BankFolders): Promise<void> {
  for (const name of OWN) await mkdir(folders[name], { recursive: true });
  for (const names of TOGETHER) {
    const devices = new Map<number, string>();
    for (const name of names) {
      const found = await stat(folders[name]).catch(() => undefined);
      if (!found?.isDirectory()) throw new Error(`The folder ${name} is not there: ${folders[name]}. Create it.`);
      devices.set(found.dev, name);
    }
    if (devices.size > 1)
      throw new Error(`The folders ${names.join(', ')} are on different file systems. Files are renamed between them.`);
  }
}

/** Writes a file that is not there, and syncs it. A part that a full disk leaves behind is removed. */
export async function writeSynced(folder: string, name: string, content: string): Promise<void> {
  const path = join(folder, name);
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await syncFolder(folder);
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Which file it is: the same under every name of it. Undefined where no file is. */
export async function inodeOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(unlessMissing);
  return found === undefined ? undefined : `${found.dev} ${found.ino}`;
}

/** False where a file has the new name already. Undefined where the file is gone. */
export async function linkOnce(from: string, to: string): Promise<boolean | undefined> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    return unlessMissing(error);
  }
}

/** Undefined where the file is gone. */
export async function renameThere(from: string, to: string): Promise<true | undefined> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    return unlessMissing(error);
  }
}

/** Moves a file and never over another one: then it gets the mark too. */
export async function moveInto(
  path: string,
  { folder, name, mark }: { folder: string; name: string; mark: string },
): Promise<void> {
  for (const target of [name, `${name}.${mark}`, `${name}.${mark}.${Date.now()}`]) {
    const linked = await linkOnce(path, join(folder, target));
    if (linked === undefined) return;
    if (!linked && (await inodeOf(path)) !== (await inodeOf(join(folder, target)))) continue;
    await unlink(path).catch(unlessMissing);
    await syncFolder(folder);
    return;
  }
}

/** Removes what other attempts left of a file. */
export async function removeOthers(folder: string, prefix: string, keep: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(prefix) && name !== keep) await rm(join(folder, name), { force: true });
}

export function unlessMissing(error: unknown): undefined {
  if (isCode(error, 'ENOENT')) return undefined;
  throw error;
}

function isCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown }).code === code;
}
