import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectionName, isEarlierRelease, RELEASE, releaseOfConnection } from '../../src/release.ts';

test.each`
  release     | than       | earlier
  ${'0.1.0'}  | ${'0.2.0'} | ${true}
  ${'0.2.0'}  | ${'0.2.0'} | ${false}
  ${'0.10.0'} | ${'0.2.0'} | ${false}
  ${'0.2.9'}  | ${'1.0.0'} | ${true}
  ${'1.0.0'}  | ${'0.9.9'} | ${false}
`('$release is earlier than $than: $earlier', ({ release, than, earlier }) => {
  expect(isEarlierRelease(release, than)).toBe(earlier);
});

test.each`
  connection                                                                                   | release
  ${connectionName('countinghouse-api')}                                                       | ${RELEASE}
  ${connectionName('countinghouse-worker ledger,rails,webhooks,sweeper,reports').slice(0, 63)} | ${RELEASE}
  ${'countinghouse-api 0.10.0'}                                                                | ${'0.10.0'}
  ${'countinghouse-api'}                                                                       | ${undefined}
  ${'countinghouse-worker ledger'}                                                             | ${undefined}
  ${'psql 16'}                                                                                 | ${undefined}
  ${''}                                                                                        | ${undefined}
`('"$connection" names release $release', ({ connection, release }) => {
  expect(releaseOfConnection(connection)).toBe(release);
});

test('equals the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(RELEASE).toBe(version);
});
