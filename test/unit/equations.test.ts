/** Every account of the chart is tied to rows: a group that books on one says by its rows what stands there. */
import { expect, test } from 'vitest';
import { GROUPS, RESOURCES } from '../../src/groups.ts';
import { CHART_CODES } from '../../src/ledger/account/chart.ts';

const EQUATIONS = GROUPS.flatMap(({ equations = [] }) => equations);

/** No group books on these yet. Whatever stands there is a finding, since no equation has it. */
const BOOKED_BY_NOBODY: readonly string[] = ['fx_position'];
/** Of these there is an account for each party: equations name each by its id. */
const OF_PARTIES: readonly string[] = [
  'bank',
  'rail_clearing',
  'acquirer_clearing',
  'acquirer_suspense',
  'acquiring_costs',
];

test('every code of the chart has an equation', () => {
  const tied = new Set<string>(EQUATIONS.flatMap(({ codes }) => codes));
  expect(CHART_CODES.filter((code) => !tied.has(code) && ![...BOOKED_BY_NOBODY, ...OF_PARTIES].includes(code))).toEqual(
    [],
  );
});

test('a code that a group has begun to book on is no longer said to be nobody’s', () => {
  expect(EQUATIONS.flatMap(({ codes }) => codes).filter((code) => BOOKED_BY_NOBODY.includes(code))).toEqual([]);
});

test('what entries are steps of is declared to book, by one equation each', () => {
  const declared = new Set<string>(RESOURCES.filter(({ books }) => books).map(({ name }) => name));
  const named = EQUATIONS.flatMap(({ resources }) => resources);
  expect(named.filter((name) => !declared.has(name))).toEqual([]);
  expect(named.length).toBe(new Set(named).size);
});

test('rows of an equation are read for what came since a moment, too', () => {
  expect(EQUATIONS.filter(({ rows }) => !rows.readByIds).map(({ rows }) => rows.name)).toEqual([]);
});
