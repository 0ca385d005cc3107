import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  connectionName,
  isEarlierVersion,
  VERSION,
  VERSION_BEFORE,
  versionOfConnection,
} from '../../../src/process/version.ts';

test.each`
  release     | than       | earlier
  ${'0.1.0'}  | ${'0.2.0'} | ${true}
  ${'0.2.0'}  | ${'0.2.0'} | ${false}
  ${'0.10.0'} | ${'0.2.0'} | ${false}
  ${'0.2.9'}  | ${'1.0.0'} | ${true}
  ${'1.0.0'}  | ${'0.9.9'} | ${false}
`('$release is earlier than $than: $earlier', ({ release, than, earlier }) => {
  expect(isEarlierVersion(release, than)).toBe(earlier);
});

test.each`
  connection                                                                                   | release
  ${connectionName('countinghouse-api')}                                                       | ${VERSION}
  ${connectionName('countinghouse-worker ledger,rails,webhooks,sweeper,reports').slice(0, 63)} | ${VERSION}
  ${'countinghouse-api 0.10.0'}                                                                | ${'0.10.0'}
  ${'countinghouse-api'}                                                                       | ${undefined}
  ${'countinghouse-worker ledger'}                                                             | ${undefined}
  ${'psql 16'}                                                                                 | ${undefined}
  ${''}                                                                                        | ${undefined}
`('"$connection" names release $release', ({ connection, release }) => {
  expect(versionOfConnection(connection)).toBe(release);
});

test('equals the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
  expect(VERSION).toBe(version);
});

test('no code names a release before the one that may run beside this one', () => {
  const root = join(import.meta.dirname, '../../..');
  const { releases } = JSON.parse(readFileSync(join(root, 'releases.json'), 'utf8')) as {
    releases: { version: string }[];
  };
  const gone = releases.map(({ version }) => version).filter((version) => isEarlierVersion(version, VERSION_BEFORE));
  expect(gone).toContain('0.1.0');
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const naming = files.filter((path) => {
    const text = readFileSync(join(root, 'src', path), 'utf8');
    return gone.some((version) => text.includes(version));
  });
  expect(naming).toEqual([]);
});
