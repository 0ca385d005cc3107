import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/values/ids.ts';
import {
  ATTEMPTS_MAX,
  type Attempt,
  canceled,
  type DeliveryInHand,
  deliveryId,
  FAILING_LIMIT_MS,
  isReady,
  parseDeliveryId,
  parseRetryAfter,
  RETRY_DELAYS_MS,
  reasonToDisable,
  resultOf,
  retryDelayMs,
} from '../../../src/webhooks/deliveries/delivery.ts';
import { type FailingStreak, hasFailedForDays, healthOf } from '../../../src/webhooks/deliveries/failing-streak.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const inTheMiddle = () => 0.5;

const endpointId = newId();
const delivery = (
  given: { attempts?: number; retryAt?: number | null; failingSince?: number | null } = {},
): DeliveryInHand => ({
  eventSequence: 7n,
  endpointId,
  eventId: newId(),
  payload: '{}',
  texts: [],
  attempts: given.attempts ?? 0,
  retryAt: given.retryAt ?? null,
  mode: 'test',
  endpoint: {
    bookId: newId(),
    id: endpointId,
    url: 'https://example.com/',
    status: 'enabled',
    secretSealed: null,
    previousSecretSealed: null,
    previousSecretUntil: null,
    failingSince: given.failingSince ?? null,
    behindSince: null,
  },
});
const attempt = (given: Partial<Attempt> = {}): Attempt => ({
  startedAt: NOW,
  durationMs: 100,
  status: null,
  error: null,
  response: null,
  retryAfterMs: null,
  ...given,
});

describe('the retry delay', () => {
  test.each`
    failed | random   | delayMs
    ${1}   | ${0}     | ${4_000}
    ${1}   | ${0.5}   | ${5_000}
    ${1}   | ${0.999} | ${5_998}
    ${2}   | ${0.5}   | ${5 * MINUTE}
    ${3}   | ${0.5}   | ${30 * MINUTE}
    ${4}   | ${0.5}   | ${2 * HOUR}
    ${5}   | ${0.5}   | ${5 * HOUR}
    ${6}   | ${0.5}   | ${10 * HOUR}
    ${7}   | ${0.5}   | ${14 * HOUR}
    ${8}   | ${0.5}   | ${20 * HOUR}
    ${9}   | ${0.5}   | ${24 * HOUR}
    ${9}   | ${0}     | ${19.2 * HOUR}
    ${10}  | ${0.5}   | ${undefined}
  `('after $failed failed attempts and the random $random is $delayMs ms', ({ failed, random, delayMs }) => {
    expect(retryDelayMs(failed, null, () => random)).toBe(delayMs);
  });

  test('is within a fifth of its base, whatever the random', () => {
    for (let failed = 1; failed < ATTEMPTS_MAX; failed++) {
      for (const random of [0, 0.25, 0.75, 1 - Number.EPSILON]) {
        const ratio = retryDelayMs(failed, null, () => random)! / RETRY_DELAYS_MS[failed - 1]!;
        expect(ratio).toBeGreaterThanOrEqual(0.8);
        expect(ratio).toBeLessThanOrEqual(1.2);
      }
    }
  });

  test.each`
    failed | retryAfterMs | delayMs
    ${1}   | ${60_000}    | ${60_000}
    ${1}   | ${0}         | ${5_000}
    ${1}   | ${30 * DAY}  | ${DAY}
    ${2}   | ${1_000}     | ${5 * MINUTE}
    ${9}   | ${HOUR}      | ${24 * HOUR}
    ${10}  | ${1_000}     | ${undefined}
  `(
    'for a receiver that asks for $retryAfterMs ms after $failed attempts is $delayMs ms',
    ({ failed, retryAfterMs, delayMs }) => {
      expect(retryDelayMs(failed, retryAfterMs, inTheMiddle)).toBe(delayMs);
    },
  );
});

describe('the result of an attempt', () => {
  test.each`
    attempts | answer                                 | status         | retryInMs
    ${0}     | ${{ status: 200 }}                     | ${'delivered'} | ${null}
    ${9}     | ${{ status: 204 }}                     | ${'delivered'} | ${null}
    ${0}     | ${{ status: 199 }}                     | ${'pending'}   | ${5_000}
    ${0}     | ${{ status: 302 }}                     | ${'pending'}   | ${5_000}
    ${0}     | ${{ status: 400 }}                     | ${'pending'}   | ${5_000}
    ${0}     | ${{ status: 410 }}                     | ${'failed'}    | ${null}
    ${0}     | ${{ error: 'timeout' }}                | ${'pending'}   | ${5_000}
    ${1}     | ${{ error: 'address_forbidden' }}      | ${'pending'}   | ${5 * MINUTE}
    ${0}     | ${{ status: 429, retryAfterMs: HOUR }} | ${'pending'}   | ${HOUR}
    ${8}     | ${{ status: 500 }}                     | ${'pending'}   | ${24 * HOUR}
    ${9}     | ${{ status: 500 }}                     | ${'failed'}    | ${null}
  `('after $attempts attempts, answered $answer, is $status', ({ attempts, answer, status, retryInMs }) => {
    const tried = attempt(answer);
    const result = resultOf(delivery({ attempts }), tried, inTheMiddle);
    expect(result).toMatchObject({ status, attempts, attempt: tried });
    expect(result.retryAt).toBe(retryInMs === null ? null : NOW + 100 + retryInMs);
  });

  test('a delivery that is not sent is canceled without an attempt', () => {
    expect(canceled(delivery({ attempts: 3 }))).toMatchObject({
      status: 'canceled',
      attempts: 3,
      attempt: null,
      retryAt: null,
    });
  });
});

test.each`
  attempts | retryAt        | ready
  ${0}     | ${null}        | ${true}
  ${1}     | ${NOW}         | ${true}
  ${1}     | ${NOW + 1_999} | ${true}
  ${1}     | ${NOW + 2_001} | ${false}
  ${1}     | ${NOW - DAY}   | ${true}
  ${1}     | ${null}        | ${false}
`('a delivery with $attempts attempts and a retry at $retryAt is ready: $ready', ({ attempts, retryAt, ready }) => {
  expect(isReady({ attempts, retryAt }, NOW)).toBe(ready);
});

test.each`
  answer                  | failingForMs            | reason
  ${{ status: 410 }}      | ${null}                 | ${'gone'}
  ${{ status: 200 }}      | ${FAILING_LIMIT_MS * 2} | ${undefined}
  ${{ status: 500 }}      | ${null}                 | ${undefined}
  ${{ status: 500 }}      | ${FAILING_LIMIT_MS - 1} | ${undefined}
  ${{ status: 500 }}      | ${FAILING_LIMIT_MS}     | ${'failing'}
  ${{ error: 'timeout' }} | ${FAILING_LIMIT_MS}     | ${'failing'}
`('$answer after $failingForMs ms without an arrival disables for $reason', ({ answer, failingForMs, reason }) => {
  const failingSince = failingForMs === null ? null : NOW - failingForMs;
  expect(reasonToDisable(delivery({ failingSince }).endpoint, attempt(answer))).toBe(reason);
});

describe('health', () => {
  const result = (given: Partial<Attempt> | null) =>
    given === null ? canceled(delivery()) : resultOf(delivery(), attempt(given), inTheMiddle);

  test.each`
    answers                                                                        | since
    ${[{ status: 500 }]}                                                           | ${NOW}
    ${[{ status: 500, startedAt: NOW - 5 }, { error: 'timeout', startedAt: NOW }]} | ${NOW - 5}
    ${[{ status: 200 }]}                                                           | ${null}
    ${[{ status: 500 }, { status: 200 }]}                                          | ${null}
    ${[{ status: 200 }, { status: 500 }]}                                          | ${null}
  `('$answers in one batch mean that nothing arrived since $since', ({ answers, since }) => {
    expect([...healthOf(answers.map(result))].map(([id, failures]) => [id, failures?.firstAt ?? null])).toEqual([
      [endpointId, since],
    ]);
  });

  test('a delivery that was not sent means nothing', () => {
    expect(healthOf([result(null)]).size).toBe(0);
  });
});

test.each`
  header                              | waitMs
  ${undefined}                        | ${null}
  ${'120'}                            | ${120_000}
  ${'0'}                              | ${0}
  ${'-1'}                             | ${null}
  ${'1.5'}                            | ${null}
  ${'600 '}                           | ${600_000}
  ${' \t600\t'}                       | ${600_000}
  ${'0600'}                           | ${600_000}
  ${'4294968'}                        | ${86_400_000}
  ${'99999999999999999999'}           | ${86_400_000}
  ${'9'.repeat(400)}                  | ${86_400_000}
  ${'6 00'}                           | ${null}
  ${'+600'}                           | ${null}
  ${'0x600'}                          | ${null}
  ${'6e2'}                            | ${null}
  ${'Sun, 01 Mar 2026 12:02:00 GMT'}  | ${120_000}
  ${'Sun, 01 Mar 2026 11:00:00 GMT'}  | ${0}
  ${'Sunday, 01-Mar-26 12:02:00 GMT'} | ${120_000}
  ${'Sun Mar  1 12:02:00 2026'}       | ${120_000}
  ${'Sun, 01 Mar 2026 12:02:00 GMT '} | ${120_000}
  ${'Sun, 01 Mar 2026 12:02:00'}      | ${null}
  ${'1 March 2026 12:02'}             | ${null}
  ${'soon 1'}                         | ${null}
  ${'soon'}                           | ${null}
  ${''}                               | ${null}
`('Retry-After "$header" asks for $waitMs ms', ({ header, waitMs }) => {
  expect(parseRetryAfter(header, NOW)).toBe(waitMs);
});

test('a delivery id is read as written, and any other text is no id', () => {
  const key = { eventSequence: 9_007_199_254_740_993n, endpointId };
  expect(parseDeliveryId(deliveryId(key))).toEqual(key);
  for (const text of [
    '',
    '7',
    `7:`,
    `:${endpointId}`,
    `-1:${endpointId}`,
    `7:${endpointId} `,
    `7:${endpointId.toUpperCase()}x`,
    '7:not-a-uuid',
  ]) {
    expect(parseDeliveryId(text), text).toBeUndefined();
  }
});

const DAYS_5 = FAILING_LIMIT_MS;

test.each`
  failingSince        | failedOtherAt       | disables | what
  ${null}             | ${NOW}              | ${false} | ${'no streak'}
  ${NOW - DAYS_5}     | ${null}             | ${false} | ${'one event'}
  ${NOW - DAYS_5}     | ${NOW - DAYS_5}     | ${true}  | ${'two events within five days'}
  ${NOW - DAYS_5 + 1} | ${NOW - 1}          | ${false} | ${'not yet five days'}
  ${NOW - 2 * DAYS_5} | ${NOW - DAYS_5 - 1} | ${false} | ${'one event within five days'}
  ${NOW - DAYS_5}     | ${NOW - DAYS_5 - 1} | ${false} | ${'another event of an earlier streak'}
`(
  'a streak of $what disables: $disables',
  ({ failingSince, failedOtherAt, disables }: FailingStreak & { disables: boolean }) => {
    expect(hasFailedForDays({ failingSince, failedOtherAt }, NOW)).toBe(disables);
  },
);

test.each([
  [[[1, 10]], { firstAt: 10, lastAt: 10, event: 1n, otherAt: null }],
  [
    [
      [1, 10],
      [1, 20],
    ],
    { firstAt: 10, lastAt: 20, event: 1n, otherAt: null },
  ],
  [
    [
      [1, 10],
      [2, 20],
      [2, 30],
    ],
    { firstAt: 10, lastAt: 30, event: 2n, otherAt: 10 },
  ],
  [
    [
      [2, 30],
      [1, 10],
      [3, 20],
    ],
    { firstAt: 10, lastAt: 30, event: 2n, otherAt: 20 },
  ],
] as const)('failures of events at %j are kept as they are in time', (failures, kept) => {
  const results = failures.map(([sequence, startedAt]) => ({
    ...resultOf(delivery(), attempt({ status: 500, startedAt }), () => 0.5),
    eventSequence: BigInt(sequence),
  }));
  expect(healthOf(results).get(endpointId)).toEqual(kept);
});
