import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepSecrets, readSecrets } from '../../../src/embedded/secrets.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'countinghouse-secrets-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a folder gets its secrets once, readable by their owner only, and keeps them', () => {
  const secrets = keepSecrets(directory);
  expect(keepSecrets(directory)).toEqual(secrets);
  expect(statSync(join(directory, 'secrets.json')).mode & 0o777).toBe(0o600);
  expect(new Set(Object.values(secrets)).size).toBe(5);
});

test("a folder of release 0.1.0 gets the signer's password, and keeps its other secrets", () => {
  const { signerPassword: _, ...first } = keepSecrets(directory);
  const path = join(directory, 'secrets.json');
  writeFileSync(path, JSON.stringify(first));
  expect(readSecrets(directory)).toEqual(first);
  const secrets = keepSecrets(directory);
  expect(secrets).toEqual({ ...first, signerPassword: expect.stringMatching(/^[\w-]{32}$/) });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(secrets);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
