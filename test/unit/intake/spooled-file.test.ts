/** What happens to a temporary file for which there is no room, in a process of its own: its limit is the process's. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const SPOOLED = new URL('../../../src/intake/spooled-file.ts', import.meta.url).href;
const ROOT = new URL('../../../', import.meta.url);

/** 4 MB in parts, read back. */
const PLAY = `import { SpooledFile } from ${JSON.stringify(SPOOLED)};
const spool = await SpooledFile.open();
try {
  for (let part = 0; part < 64; part += 1) await spool.write(Buffer.alloc(65536, part));
  let read = 0;
  for await (const part of spool.parts()) read += part.length;
  console.log('read', read);
} catch (error) {
  console.log(error.name);
} finally {
  await spool.close();
}`;

/** `limit`: blocks of 1,024 bytes that a file of the process may have. */
function play(limit: string): string {
  const program = `ulimit -f ${limit}; exec "$0" --import tsx --input-type=module -e "$1"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', program, process.execPath, PLAY], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return stdout.trim() || stderr;
}

test('a temporary file is read back, and one without room is NoRoom', () => {
  expect(play('unlimited')).toBe('read 4194304');
  expect(play('1024')).toBe('NoRoom');
});
