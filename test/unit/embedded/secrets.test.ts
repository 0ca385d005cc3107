import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepSecrets } from '../../../src/embedded/secrets.ts';

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
