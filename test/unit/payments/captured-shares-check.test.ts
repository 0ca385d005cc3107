/** What verify says of a capture's shares, by the release schedule that its row has. */
import { expect, test } from 'vitest';
import type { CheckContext } from '../../../src/group/check-context.ts';
import { checkCapturedShares } from '../../../src/payments/disputes/checks/captured-shares-check.ts';
import { newBookedCapture, type PlacedIn } from '../../support/booked-capture.ts';

/** Captured on 2 May in UTC: 10,000 less a fee of 260 is 9,740, a tenth of which is reserved. */
const [DAY, LATER] = ['2031-05-04', '2031-07-31'];
const READY = '2d 1000/90';
const WAITING = '2d settled 1000/90';

const ready = (amount: bigint, availableOn = DAY): PlacedIn => ({
  kind: 'ready',
  availableOn,
  isReserve: false,
  amount,
});
const kept = (amount: bigint, availableOn = LATER): PlacedIn => ({
  kind: 'ready',
  availableOn,
  isReserve: true,
  amount,
});
const waits = (placed: PlacedIn): PlacedIn => ({ ...placed, kind: 'waiting' });
const BOTH = [ready(8_766n), kept(974n)];
const WAITS = BOTH.map(waits);

function findingsOf(
  schedule: string | null,
  { lines, portions, settledOn = null }: { lines: PlacedIn[]; portions: PlacedIn[]; settledOn?: string | null },
): { expected: string; actual: string }[] {
  const { history, capture } = newBookedCapture({ schedule, lines, portions, settledOn });
  const found: { expected: string; actual: string }[] = [];
  const context = { report: (finding: (typeof found)[number]) => found.push(finding) };
  checkCapturedShares(context as unknown as CheckContext, history, capture);
  return found.map(({ expected, actual }) => ({ expected, actual }));
}

test.each`
  what                                        | schedule        | lines                                                                 | portions                                                    | settledOn
  ${'as its schedule says'}                   | ${READY}        | ${BOTH}                                                               | ${BOTH}                                                     | ${null}
  ${'and settled, which moves nothing'}       | ${READY}        | ${BOTH}                                                               | ${BOTH}                                                     | ${'2031-05-03'}
  ${'and refunded in part'}                   | ${READY}        | ${BOTH}                                                               | ${[ready(0n), kept(900n)]}                                  | ${null}
  ${'without a reserve'}                      | ${'2d'}         | ${[ready(9_740n)]}                                                    | ${[ready(9_740n)]}                                          | ${null}
  ${'on business days: Sunday after Friday'}  | ${'1b:fri_sat'} | ${[ready(9_740n, '2031-05-05')]}                                      | ${[ready(9_740n, '2031-05-05')]}                            | ${null}
  ${'after the cut-off'}                      | ${'2d 09:00'}   | ${[ready(9_740n, '2031-05-05')]}                                      | ${[ready(9_740n, '2031-05-05')]}                            | ${null}
  ${'all but nothing reserved'}               | ${'2d 1/90'}    | ${[ready(9_740n)]}                                                    | ${[ready(9_740n)]}                                          | ${null}
  ${'once settled, and waits'}                | ${WAITING}      | ${WAITS}                                                              | ${WAITS}                                                    | ${null}
  ${'once settled, and paid before its day'}  | ${WAITING}      | ${[...WAITS, ...BOTH]}                                                | ${BOTH}                                                     | ${'2031-05-03'}
  ${'once settled, and paid on a later day'}  | ${WAITING}      | ${[...WAITS, ready(8_766n, '2031-05-20'), kept(974n)]}                | ${[ready(8_766n, '2031-05-20'), kept(974n)]}                | ${'2031-05-20'}
  ${'once settled, and paid after both days'} | ${WAITING}      | ${[...WAITS, ready(8_766n, '2031-08-20'), ready(974n, '2031-08-20')]} | ${[ready(8_766n, '2031-08-20'), ready(974n, '2031-08-20')]} | ${'2031-08-20'}
  ${'of release 0.3.0, anywhere'}             | ${null}         | ${[kept(1n, '1999-01-01')]}                                           | ${[waits(ready(7n))]}                                       | ${null}
`('nothing of a capture $what', ({ schedule, lines, portions, settledOn }) => {
  expect(findingsOf(schedule, { lines, portions, settledOn })).toEqual([]);
});

const EXPECTED = '8766 on 2031-05-04, ready; 974 on 2031-07-31 (reserve), ready';

test.each`
  what                                      | schedule | lines                                                   | portions | settledOn | actual
  ${'put into the share of an earlier day'} | ${READY} | ${[ready(8_766n, '2031-05-03'), kept(974n)]}            | ${BOTH}  | ${null}   | ${'8766 on 2031-05-03, ready; 974 on 2031-07-31 (reserve), ready'}
  ${'with a reserve that is too small'}     | ${READY} | ${[ready(8_767n), kept(973n)]}                          | ${BOTH}  | ${null}   | ${'8767 on 2031-05-04, ready; 973 on 2031-07-31 (reserve), ready'}
  ${'without its reserve'}                  | ${READY} | ${[ready(9_740n)]}                                      | ${BOTH}  | ${null}   | ${'9740 on 2031-05-04, ready'}
  ${'with a reserve that ends early'}       | ${READY} | ${[ready(8_766n), kept(974n, '2031-07-30')]}            | ${BOTH}  | ${null}   | ${'8766 on 2031-05-04, ready; 974 on 2031-07-30 (reserve), ready'}
  ${'put into two days'}                    | ${READY} | ${[ready(8_765n), ready(1n, '2031-05-05'), kept(974n)]} | ${BOTH}  | ${null}   | ${'8765 on 2031-05-04, ready; 974 on 2031-07-31 (reserve), ready; 1 on 2031-05-05, ready'}
  ${'that waits, though it should not'}     | ${READY} | ${WAITS}                                                | ${BOTH}  | ${null}   | ${'8766 on 2031-05-04, waiting; 974 on 2031-07-31 (reserve), waiting'}
  ${'put nowhere'}                          | ${READY} | ${[]}                                                   | ${BOTH}  | ${null}   | ${'nothing'}
`('a capture $what', ({ schedule, lines, portions, settledOn, actual }) => {
  const [found, ...others] = findingsOf(schedule, { lines, portions, settledOn });
  expect(others).toEqual([]);
  expect(found!.expected).toBe(EXPECTED);
  expect(found!.actual.split('; ').sort()).toEqual(actual.split('; ').sort());
});

test.each`
  what                                                                             | schedule    | lines                                                  | portions                                     | settledOn
  ${'that does not wait for its acquirer'}                                         | ${WAITING}  | ${BOTH}                                                | ${WAITS}                                     | ${null}
  ${'left in the share of another day'}                                            | ${READY}    | ${BOTH}                                                | ${[ready(8_766n, '2031-05-05'), kept(974n)]} | ${null}
  ${'left in no share'}                                                            | ${READY}    | ${BOTH}                                                | ${[{ ...ready(8_766n), isMissing: true }]}   | ${null}
  ${'with too little left in its reserve'}                                         | ${READY}    | ${BOTH}                                                | ${[ready(8_767n), kept(973n)]}               | ${null}
  ${'with too much left in its reserve'}                                           | ${READY}    | ${BOTH}                                                | ${[ready(8_765n), kept(975n)]}               | ${null}
  ${'moved to an earlier day'}                                                     | ${WAITING}  | ${[...WAITS, ready(8_766n, '2031-05-03'), kept(974n)]} | ${BOTH}                                      | ${'2031-05-03'}
  ${'moved to a later day than it was paid on'}                                    | ${WAITING}  | ${[...WAITS, ready(8_766n, '2031-05-21'), kept(974n)]} | ${BOTH}                                      | ${'2031-05-20'}
  ${'whose reserve moved with the rest'}                                           | ${WAITING}  | ${[...WAITS, ready(9_740n, '2031-05-20')]}             | ${BOTH}                                      | ${'2031-05-20'}
  ${'released on the day of its settlement, though its schedule waits for nobody'} | ${'2d'}     | ${[ready(9_740n)]}                                     | ${[ready(9_740n, '2031-05-20')]}             | ${'2031-05-20'}
  ${'whose schedule cannot be read'}                                               | ${'2 days'} | ${BOTH}                                                | ${BOTH}                                      | ${null}
`('a capture $what is found', ({ schedule, lines, portions, settledOn }) => {
  expect(findingsOf(schedule, { lines, portions, settledOn })).toHaveLength(1);
});
