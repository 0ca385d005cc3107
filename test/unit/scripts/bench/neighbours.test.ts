import { expect, test } from 'vitest';
import { type Figures, figuresOf, limitOf, missedBars, type Seen } from '../../../../scripts/bench/neighbours/bars.ts';
import { manyMembers } from '../../../../scripts/bench/neighbours/large-bodies.ts';
import { rateAt } from '../../../../scripts/bench/neighbours/rated-requests.ts';
import { SCENARIOS } from '../../../../scripts/bench/neighbours/scenarios.ts';
import { dueMs, type Sent, seenOf } from '../../../../scripts/bench/neighbours/well-behaved.ts';

test.each`
  alone    | limit
  ${0}     | ${100}
  ${20}    | ${120}
  ${100}   | ${200}
  ${101}   | ${202}
  ${1_000} | ${2_000}
`('with a p99 of $alone ms alone, the limit beside a neighbour is $limit ms', ({ alone, limit }) => {
  expect(limitOf(alone)).toBe(limit);
});

const GREEN: Figures = {
  scenario: 'writes',
  accept_p99_ms: 120,
  accept_alone_ms: 20,
  webhook_p99_ms: 200,
  webhook_alone_ms: 100,
  returned_p99_ms: 2_000,
  returned_alone_ms: 1_000,
  errors: 0,
  undelivered: 0,
  peak_mb: 250,
  faults: [],
};

test.each`
  changed                                       | missed
  ${{}}                                         | ${[]}
  ${{ accept_p99_ms: 120.5 }}                   | ${['writes: accept_p99_ms is 120.5, at most 120']}
  ${{ webhook_p99_ms: 201 }}                    | ${['writes: webhook_p99_ms is 201, at most 200']}
  ${{ returned_p99_ms: 2_001 }}                 | ${['writes: returned_p99_ms is 2001, at most 2000']}
  ${{ errors: 1 }}                              | ${['writes: errors is 1, at most 0']}
  ${{ undelivered: 2 }}                         | ${['writes: undelivered is 2, at most 0']}
  ${{ peak_mb: 251 }}                           | ${['writes: peak_mb is 251, at most 250']}
  ${{ webhook_p99_ms: Number.NaN }}             | ${['writes: webhook_p99_ms is NaN, at most 200']}
  ${{ faults: ['The worker ended by itself'] }} | ${['writes: The worker ended by itself']}
`('the missed bars when $changed', ({ changed, missed }) => {
  expect(missedBars({ ...GREEN, ...changed })).toEqual(missed);
});

const seen = (accept: number[]): Seen => ({
  accept,
  webhook: accept,
  returned: accept,
  errors: 0,
  failures: [],
  undelivered: 0,
});

test('the figures alone combine the turns before and after', () => {
  const ninetyNine = Array.from({ length: 99 }, () => 10);
  const figures = figuresOf({
    scenario: 'writes',
    beside: seen([...ninetyNine, 400]),
    alone: [seen(ninetyNine), seen([30, 40, 50])],
    peakMb: 180.4,
    faults: [],
  });
  expect(figures).toMatchObject({ accept_p99_ms: 10, accept_alone_ms: 40, peak_mb: 180 });
});

test('the rate of requests follows their due times', () => {
  expect([0, 1, 250].map((number) => dueMs(number, 250))).toEqual([0, 4, 1_000]);
  const rates = [
    { perSecond: 6, seconds: 15 },
    { perSecond: 100, seconds: 15 },
  ];
  expect([0, 14.9, 15, 29, 300].map((seconds) => rateAt(rates, seconds))).toEqual([6, 6, 100, 100, 100]);
});

const sent = (change: Partial<Sent>): Sent => ({
  dueAt: 1_000,
  answeredAt: 1_010,
  id: 'po_1',
  failure: null,
  returns: false,
  ...change,
});
const received = (objectIds: string[], times: number[]) => ({
  webhookIds: objectIds.map((id) => `evt_${id}`),
  objectIds,
  times,
  signaturesVerified: 0,
  signaturesWrong: 0,
});

test('latencies count from the due time of a request; a missing one counts until it was given up', () => {
  const all = [
    sent({}),
    sent({ id: 'po_2', dueAt: 1_004, answeredAt: 1_500 }),
    sent({ id: 'po_3', returns: true }),
    sent({ id: null, answeredAt: 31_000, failure: '503 busy' }),
  ];
  const paid = received(['po_1', 'po_2', 'po_1'], [1_050, 1_400, 9_000]);
  expect(seenOf(all, { paid, returned: received([], []), abandonedAt: 61_010 })).toEqual({
    accept: [10, 496, 10, 30_000],
    webhook: [40, 0, 60_000],
    returned: [60_000],
    errors: 1,
    failures: ['503 busy'],
    undelivered: 2,
  });
});

test('large bodies are JSON below the limit of a megabyte', () => {
  const bodies = manyMembers();
  for (const body of bodies) {
    expect(Buffer.byteLength(body)).toBeGreaterThan(660_000);
    expect(Buffer.byteLength(body)).toBeLessThan(1_048_576);
    expect(JSON.parse(body)).toHaveProperty('amount');
  }
});

test('every neighbour of the bench has a unique name', () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(11);
});
