import { expect, test } from 'vitest';
import {
  fingerprintOf,
  idempotencyKeyFault,
  readIfMatch,
  readPreference,
  readWait,
} from '../../../src/api/request-headers.ts';

test.each`
  key                | required | code
  ${undefined}       | ${true}  | ${'idempotency_key_missing'}
  ${undefined}       | ${false} | ${undefined}
  ${'a'}             | ${true}  | ${undefined}
  ${'~!{}"'}         | ${true}  | ${undefined}
  ${'x'.repeat(255)} | ${true}  | ${undefined}
  ${'x'.repeat(256)} | ${true}  | ${'idempotency_key_invalid'}
  ${'x'.repeat(300)} | ${false} | ${'idempotency_key_invalid'}
  ${''}              | ${false} | ${'idempotency_key_invalid'}
  ${'a b'}           | ${true}  | ${'idempotency_key_invalid'}
  ${'a\tb'}          | ${true}  | ${'idempotency_key_invalid'}
  ${'a\u007f'}       | ${true}  | ${'idempotency_key_invalid'}
  ${'clé'}           | ${true}  | ${'idempotency_key_invalid'}
`('an Idempotency-Key of $key (required: $required) has the field error $code', ({ key, required, code }) => {
  expect(idempotencyKeyFault(key, required)?.code).toBe(code);
});

test.each`
  header        | version
  ${undefined}  | ${undefined}
  ${'*'}        | ${undefined}
  ${'3'}        | ${3}
  ${'"3"'}      | ${3}
  ${' "12" '}   | ${12}
  ${'W/"3"'}    | ${'fault'}
  ${'"3", "4"'} | ${'fault'}
  ${'"3'}       | ${'fault'}
  ${'-1'}       | ${'fault'}
  ${'1.0'}      | ${'fault'}
  ${''}         | ${'fault'}
  ${'abc'}      | ${'fault'}
`('If-Match: $header means $version', ({ header, version }) => {
  const read = readIfMatch(header);
  expect(read.fieldError ? 'fault' : read.version).toBe(version);
});

test.each`
  header                             | seconds
  ${undefined}                       | ${undefined}
  ${'wait=10'}                       | ${10}
  ${'wait="10"'}                     | ${10}
  ${'WAIT = 5'}                      | ${5}
  ${'respond-async, wait=7'}         | ${7}
  ${'respond-async,wait=7; foo=bar'} | ${7}
  ${'wait=0'}                        | ${0}
  ${'wait=31'}                       | ${30}
  ${'wait=999999'}                   | ${30}
  ${'wait=999999999'}                | ${30}
  ${`wait=${'9'.repeat(400)}`}       | ${30}
  ${'wait=-1'}                       | ${undefined}
  ${'wait=1.5'}                      | ${undefined}
  ${'wait'}                          | ${undefined}
  ${'waiting=3'}                     | ${undefined}
  ${'return=minimal'}                | ${undefined}
`('Prefer: $header waits $seconds', ({ header, seconds }) => {
  expect(readWait(header)).toBe(seconds);
});

test.each`
  header                         | seconds      | applied
  ${undefined}                   | ${undefined} | ${undefined}
  ${'return=minimal'}            | ${undefined} | ${undefined}
  ${'wait=5'}                    | ${5}         | ${'wait=5'}
  ${'wait=31'}                   | ${30}        | ${'wait=30'}
  ${'wait=999999999'}            | ${30}        | ${'wait=30'}
  ${'respond-async'}             | ${undefined} | ${'respond-async'}
  ${'Respond-Async;foo=bar'}     | ${undefined} | ${'respond-async'}
  ${'handling=x, respond-async'} | ${undefined} | ${'respond-async'}
  ${'respond-async, wait=7'}     | ${7}         | ${'wait=7'}
  ${'respond-asynchronously'}    | ${undefined} | ${undefined}
`('Prefer: $header is applied as $applied', ({ header, seconds, applied }) => {
  expect(readPreference(header)?.applied).toBe(applied);
  expect(readPreference(header)?.seconds).toBe(seconds);
});

test('several Prefer headers are read as one', () => {
  expect(readWait(['return=minimal', 'wait=3'])).toBe(3);
});

test('a fingerprint covers method, path and value, whatever the order of members', () => {
  const fingerprint = (method: string, path: string, body: unknown) =>
    fingerprintOf({ method, path, body }).toString('hex');
  const first = fingerprint('POST', '/v1/payouts', { a: 1, b: { c: 'x', d: [1, 2] } });
  expect(fingerprint('POST', '/v1/payouts', { b: { d: [1, 2], c: 'x' }, a: 1 })).toBe(first);
  expect(fingerprint('POST', '/v1/payouts', { b: { d: [2, 1], c: 'x' }, a: 1 })).not.toBe(first);
  expect(fingerprint('POST', '/v1/payout', { a: 1, b: { c: 'x', d: [1, 2] } })).not.toBe(first);
  expect(fingerprint('PATCH', '/v1/payouts', { a: 1, b: { c: 'x', d: [1, 2] } })).not.toBe(first);
  expect(first).toHaveLength(64);
});
