import { beforeEach, expect, test } from 'vitest';
import { Breakers } from '../../../src/outside/questions/breakers.ts';

let now = 0;
let breakers: Breakers;
beforeEach(() => {
  now = 10_000;
  breakers = new Breakers({ now: () => now });
});

const fail = (times: number, party = 'slow') => {
  for (let failure = 0; failure < times; failure++) breakers.failed(party);
};
/** Milliseconds at which a call is made, of those at which one is tried. */
const admittedAt = (tries: readonly number[]) =>
  tries.filter((at) => {
    now = 10_000 + at;
    return breakers.admits('slow');
  });

test.each`
  failures | admitted
  ${0}     | ${true}
  ${4}     | ${true}
  ${5}     | ${false}
  ${6}     | ${false}
`('after $failures failures in a row a call is made: $admitted', ({ failures, admitted }) => {
  fail(failures);
  expect(breakers.admits('slow')).toBe(admitted);
});

test('an answer in between begins the row anew', () => {
  fail(4);
  breakers.answered('slow');
  fail(4);
  expect(breakers.admits('slow')).toBe(true);
});

test('an open breaker lets one call through a second', () => {
  fail(5);
  expect(admittedAt([0, 500, 999, 1_000, 1_001, 1_999, 2_000, 5_000, 5_500, 6_000])).toEqual([
    1_000, 2_000, 5_000, 6_000,
  ]);
});

test('a probe that fails leaves it open, and one that is answered closes it', () => {
  fail(5);
  expect(admittedAt([1_000])).toEqual([1_000]);
  fail(1);
  expect(admittedAt([1_500])).toEqual([]);
  expect(admittedAt([2_000])).toEqual([2_000]);
  breakers.answered('slow');
  expect(admittedAt([2_001, 2_002])).toEqual([2_001, 2_002]);
  fail(4);
  expect(admittedAt([2_003])).toEqual([2_003]);
});

test('the breaker of one party is no other', () => {
  fail(5);
  expect(breakers.admits('quick')).toBe(true);
});
