import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepSigningKey, readSigningKey } from '../../../src/embedded/signing-key-file.ts';
import { signingKeyFrom } from '../../../src/proofs/signing-key.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'countinghouse-key-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a folder gets its key once, readable by its owner only, and keeps it', () => {
  expect(readSigningKey(directory)).toBeUndefined();
  const key = keepSigningKey(directory);
  expect(signingKeyFrom(key).keyId).toMatch(/^ed25519:[0-9a-f]{64}$/);
  expect(keepSigningKey(directory)).toBe(key);
  expect(readSigningKey(directory)).toBe(key);
  expect(statSync(join(directory, 'checkpoint-key.json')).mode & 0o777).toBe(0o600);
});

test('an unreadable key file is not replaced, because earlier checkpoints are signed by its key', () => {
  writeFileSync(join(directory, 'checkpoint-key.json'), 'half a fi');
  expect(() => keepSigningKey(directory)).toThrow(/is not JSON/);
});
