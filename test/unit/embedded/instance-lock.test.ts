import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimInstance, runningInstance } from '../../../src/embedded/instance-lock.ts';
import { isAlive, processMark, thisProcess } from '../../../src/embedded/process-identity.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'countinghouse-lock-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = () => join(directory, 'instance.json');

/** A process that has just ended, with its pid and mark. */
async function deadProcess() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const dead = { pid: child.pid!, mark: processMark(child.pid!)! };
  child.kill('SIGKILL');
  await once(child, 'exit');
  return dead;
}

test('a claimed folder is refused to the next process, with pid and address', () => {
  const claim = claimInstance(directory);
  expect(() => claimInstance(directory)).toThrow(new RegExp(`already running \\(pid ${process.pid}\\)`));
  claim.announce('http://127.0.0.1:8080');
  expect(() => claimInstance(directory)).toThrow(/at http:\/\/127\.0\.0\.1:8080/);
  expect(runningInstance(directory)).toMatchObject({ pid: process.pid, baseUrl: 'http://127.0.0.1:8080' });
});

test('the lock file is readable by its owner only', () => {
  claimInstance(directory);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('a released folder is free, and keeps no file', () => {
  claimInstance(directory).remove();
  expect(readdirSync(directory)).toEqual([]);
  claimInstance(directory);
});

test('the folder of a dead process is free', async () => {
  const dead = await deadProcess();
  writeFileSync(file(), JSON.stringify({ ...dead, startedAt: 'then' }));
  expect(runningInstance(directory)).toBeUndefined();
  claimInstance(directory);
  expect(runningInstance(directory)).toMatchObject({ pid: process.pid });
  expect(readdirSync(directory)).toEqual(['instance.json']);
});

test('another process with the pid of the dead one does not hold the folder', () => {
  writeFileSync(file(), JSON.stringify({ pid: process.pid, mark: 'another start', startedAt: 'then' }));
  claimInstance(directory);
});

test('this process is alive; pid 0, a negative and a huge one are not', () => {
  expect(isAlive(thisProcess())).toBe(true);
  expect([0, -1, 99_999_999, Number.NaN].map(processMark)).toEqual([undefined, undefined, undefined, undefined]);
});
