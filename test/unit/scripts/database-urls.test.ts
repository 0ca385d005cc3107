/** A URL whose password is not percent-encoded is refused by whoever reads one, before a driver puts a piece of it into a message. */
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { programOf } from '../../../scripts/harness/programs.ts';
import { exampleId } from '../../../src/api/schemas/fields.ts';
import { environmentOrEmbedded } from '../../../src/embedded/environment.ts';

const GOOD = 'postgres://app:word@127.0.0.1:1/ledger';
const RAW = ['postgres://app:qxzq/wzqw@127.0.0.1:1/ledger', 'postgres://app:qxzq#wzqw@127.0.0.1:1/ledger'];

test.each(
  ['DATABASE_URL', 'DATABASE_OWNER_URL', 'QUEUE_DATABASE_URL', 'SIGNER_DATABASE_URL', 'REDIS_URL'].flatMap((name) =>
    RAW.map((url) => [name, url] as const),
  ),
)('a script with %s=%s', (name, url) => {
  const refused = new RegExp(`^${name}: expects the characters @ / # [?] % .* percent-encoded`);
  expect(() => environmentOrEmbedded({ DATABASE_URL: GOOD, [name]: url })).toThrow(refused);
});

const KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
const EXPORT = ['--book', exampleId('book'), '--format', 'hledger', '--from', '2026-01-01', '--to', '2026-01-31'];

test.each`
  script          | given                                    | environment
  ${'ops'}        | ${['queues']}                            | ${{ DATABASE_URL: RAW[0] }}
  ${'keys'}       | ${['list']}                              | ${{ DATABASE_URL: RAW[0] }}
  ${'verify'}     | ${[]}                                    | ${{ DATABASE_URL: RAW[0] }}
  ${'verify'}     | ${['--database-url', RAW[0]]}            | ${{}}
  ${'export'}     | ${[...EXPORT, '--database-url', RAW[0]]} | ${{ DATABASE_URL: GOOD }}
  ${'checkpoint'} | ${['--database-url', RAW[0]]}            | ${{ CHECKPOINT_SIGNING_KEY: KEY }}
  ${'checkpoint'} | ${[]}                                    | ${{ CHECKPOINT_SIGNING_KEY: KEY, SIGNER_DATABASE_URL: RAW[0] }}
  ${'migrate'}    | ${[]}                                    | ${{ DATABASE_URL: GOOD, DATABASE_OWNER_URL: GOOD, SIGNER_DATABASE_URL: RAW[0] }}
`('npm run $script $given says what is wrong, and nothing of the password', ({ script, given, environment }) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...programOf(`scripts/${script}.ts`), ...given], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...environment },
  });
  expect(stderr).toMatch(/percent-encoded/);
  expect(stdout + stderr).not.toMatch(/qxzq|wzqw/);
  expect(status).toBeGreaterThan(0);
});
