/**
 * Another commit, built in a temporary git worktree. The bench removes the worktree when it ends, on Ctrl-C too. After
 * kill -9 the worktree stays: `git worktree list` shows where.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Build, FORM, ROOT } from '../../harness/build.ts';
import { say } from '../../harness/progress.ts';
import type { Closing } from '../closing.ts';

export interface Checkout {
  /** The abbreviated commit. */
  readonly revision: string;
  readonly build: Build;
}

/** Throws when there is no such commit, or when tsc finds errors in it. */
export async function buildCommit(closing: Closing, commit: string): Promise<Checkout> {
  if (FORM !== '.js')
    throw new Error('Two builds are compared: run `npm run bench -- paired`, which builds this code.');
  const revision = revisionOf(commit);
  const packages = join(git('rev-parse', '--show-toplevel'), 'node_modules');
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-paired-'));
  const tree = join(folder, revision);
  closing.add(`worktree of ${revision}`, async () => {
    rmSync(join(tree, 'node_modules'), { force: true }); // the link alone
    await removeWorktree(tree);
    rmSync(folder, { recursive: true, force: true });
  });
  // Synchronous, so that Node handles a signal once the worktree is whole.
  git('worktree', 'add', '--quiet', '--detach', tree, revision);
  symlinkSync(packages, join(tree, 'node_modules'));
  if (git('diff', '--name-only', revision, '--', ':/package-lock.json') !== '')
    say(`package-lock.json of ${revision} differs: both builds run the packages of this checkout`);
  say(`building ${revision}`);
  await compile(closing, tree);
  const { scripts } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')) as { scripts: Scripts };
  const nodeOptions = { api: nodeOptionsOf(scripts.api), worker: nodeOptionsOf(scripts.worker) };
  return { revision, build: { root: join(tree, 'dist'), nodeOptions } };
}

interface Scripts {
  api: string;
  worker: string;
}

/** The options of Node in an npm script, without `--import tsx`, which a built program does not need. */
export function nodeOptionsOf(script: string): string[] {
  return script.split(' ').filter((word) => word.startsWith('--') && word !== '--import');
}

function revisionOf(commit: string): string {
  try {
    return git('rev-parse', '--short', '--verify', '--quiet', `${commit}^{commit}`);
  } catch (error) {
    throw new Error(`There is no commit ${commit} in this checkout. In a shallow clone: git fetch --unshallow.`, {
      cause: error,
    });
  }
}

function git(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${words[0]} failed: ${stderr.trim()}`);
  return stdout.trim();
}

/** An interrupted `git worktree add` cleans up by itself: git then knows no such worktree, and its error is ignored. */
function removeWorktree(tree: string): Promise<void> {
  return new Promise((resolve) => {
    execFile('git', ['worktree', 'remove', '--force', tree], { cwd: ROOT }, () => resolve());
  });
}

async function compile(closing: Closing, tree: string): Promise<void> {
  const script = join(tree, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [script, '-p', 'tsconfig.build.json'], {
    cwd: tree,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  closing.add('tsc', async () => {
    child.kill();
    await ended;
  });
  if ((await ended) !== 0) throw new Error(`tsc failed:\n${output}`);
}
