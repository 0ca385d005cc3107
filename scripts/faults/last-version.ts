/**
 * Builds the last version from history, for processes to run. Its files are those of its commit. Its packages are those
 * of this checkout where they match the version's lock, else its own. Built once for a run, and removed at exit.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { outputOf, ROOT } from '../harness/build.ts';
import { say } from '../harness/progress.ts';
import { type Release, readReleases } from '../releases.ts';

export interface BuiltVersion extends Release {
  /** The folder of the version's code. */
  readonly root: string;
}

/** Limit for an operator's command on a busy machine. `npm ci` without a cache takes longest. */
const COMMAND_LIMIT_MS = 300_000;
const run = promisify(execFile);

const built = new Map<string, Promise<BuiltVersion>>();
const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Throws an error that explains what to do when the history lacks the version. */
export function lastVersion(): Promise<BuiltVersion> {
  const version = readReleases().at(-1)!;
  const known = built.get(version.commit) ?? build(version);
  built.set(version.commit, known);
  return known;
}

/** Runs a script of a checkout that must succeed: `migrate`. Resolves with its standard output. */
export function runCommand(
  root: string,
  words: readonly [string, ...string[]],
  environment: Record<string, string>,
): Promise<string> {
  return outputOf(root, words, environment, { timeoutMs: COMMAND_LIMIT_MS });
}

async function build(released: Release): Promise<BuiltVersion> {
  const { version, commit } = released;
  await expectInHistory(released);
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-release-'));
  folders.push(folder);
  const [archive, root] = [join(folder, 'release.tar'), join(folder, version)];
  mkdirSync(root);
  await run('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', root]);
  const fits = packagesFit(root);
  if (fits) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  else await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: root, timeout: COMMAND_LIMIT_MS });
  say(`release ${version} is built from ${commit.slice(0, 7)}, with ${fits ? "this checkout's" : 'its own'} packages`);
  return { ...released, root };
}

async function expectInHistory({ version, commit }: Release): Promise<void> {
  const isThere = await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  throw new Error(
    `Release ${version} (${commit}) is not in the history of this checkout. In a shallow clone: git fetch --unshallow. Elsewhere: play in a clone.`,
  );
}

interface Lock {
  packages: Record<string, { version: string; dev?: boolean; optional?: boolean; devOptional?: boolean }>;
}

/**
 * Whether the packages installed here match the version's lock. More may be installed, and packages that the version
 * only builds with may be missing.
 */
function packagesFit(root: string): boolean {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Lock;
  const here = read(join(ROOT, 'node_modules/.package-lock.json')).packages;
  return Object.entries(read(join(root, 'package-lock.json')).packages).every(([path, wanted]) => {
    if (path === '' || wanted.dev) return true;
    const found = here[path];
    return found ? found.version === wanted.version : wanted.optional === true || wanted.devOptional === true;
  });
}
