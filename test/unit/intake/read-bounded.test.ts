/** Files that an operator names: read up to a limit, whatever size they state. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FileTooLarge, readBounded } from '../../../src/intake/read-bounded.ts';

const folder = mkdtempSync(join(tmpdir(), 'bounded-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([0, 1, 65_536, 65_537, 200_000])('a file of %i bytes is read whole, and refused above its limit', (bytes) => {
  const file = join(folder, String(bytes));
  const content = Buffer.alloc(bytes, 'abc');
  writeFileSync(file, content);
  expect(readBounded(file, bytes)).toEqual(content);
  if (bytes > 0) expect(() => readBounded(file, bytes - 1)).toThrow(FileTooLarge);
});

test('a device that states no size and never ends is refused', () => {
  expect(() => readBounded('/dev/zero', 1_000_000)).toThrow('The file has more than 1000000 bytes.');
  expect(readBounded('/dev/null', 10)).toHaveLength(0);
});

test('a pipe is read whole', () => {
  const file = join(folder, 'pipe');
  expect(spawnSync('mkfifo', [file]).status).toBe(0);
  const { pid } = spawnSync('sh', ['-c', `printf "%100000s" x > ${file} & echo $!`], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  expect(pid).toBeGreaterThan(0);
  expect(readBounded(file, 200_000)).toHaveLength(100_000);
});

test('what cannot be read fails as the system says', () => {
  expect(() => readBounded(join(folder, 'nothing'), 1)).toThrow('ENOENT');
  expect(() => readBounded(folder, 1)).toThrow('EISDIR');
});
