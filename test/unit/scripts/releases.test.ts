/** releases.json: versions grow, commits are in the history, and the working version is newer than all of them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readReleases } from '../../../scripts/releases.ts';

const ROOT = join(import.meta.dirname, '../../..');
const releases = readReleases();

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** The reason why the history cannot be read; undefined if it can. */
function historyIsMissing(): string | undefined {
  try {
    const isShallow = git('rev-parse', '--is-shallow-repository') === 'true';
    return isShallow ? 'a shallow clone lacks the commits of releases: git fetch --unshallow' : undefined;
  } catch {
    return 'this is no clone: nothing says which commits there are';
  }
}

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Content;
}

/** Compares three numbers in order (Semantic Versioning 2.0.0, section 11). */
function isNewer(version: string, than: string): boolean {
  const [numbers, others] = [version, than].map((text) => text.split('.').map(Number));
  const at = numbers!.findIndex((number, place) => number !== others![place]);
  return at >= 0 && numbers![at]! > others![at]!;
}

test('each release is newer than the one before, and has a full commit id', () => {
  expect(releases.length).toBeGreaterThan(0);
  for (const [at, { version, commit }] of releases.entries()) {
    expect(version).toMatch(/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/);
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    if (at > 0) expect(isNewer(version, releases[at - 1]!.version), version).toBe(true);
  }
});

test('the working version is newer than the last release, in package.json and in package-lock.json', () => {
  const { version } = readJson<{ version: string }>('package.json');
  const lock = readJson<{ version: string; packages: Record<string, { version: string }> }>('package-lock.json');
  expect(isNewer(version, releases.at(-1)!.version), version).toBe(true);
  expect([lock.version, lock.packages['']!.version]).toEqual([version, version]);
});

test.for([...releases])(
  'the commit of $version is in the history, and has that version',
  ({ version, commit }, { skip }) => {
    const missing = historyIsMissing();
    skip(missing !== undefined, missing);
    expect(git('merge-base', '--is-ancestor', commit, 'HEAD')).toBe('');
    expect(JSON.parse(git('show', `${commit}:package.json`))).toMatchObject({ version });
  },
);

test('the changelog has each release with its date, the last one first, and above them what is not released', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
  const versions = headings.map((heading) => /^\[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/.exec(heading)?.[1] ?? heading);
  const released = releases.map(({ version }) => version).toReversed();
  const { version } = readJson<{ version: string }>('package.json');
  // The commit that is a release has its heading already, and releases.json names it in the next one.
  expect([
    ['[Unreleased]', ...released],
    [version, ...released],
  ]).toContainEqual(versions);
});
