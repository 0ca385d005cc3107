/** Every golden scenario of a purchase, row by row: answer, hold, fee, balance, status, usage, entries, flags and exceptions. */
import { describe, expect, test } from 'vitest';
import { advice, refund } from '../messages.ts';
import { ACCOUNTS } from './accounts.ts';
import { CREDITS } from './credits.ts';
import { CURRENCIES_FEES_AND_CASH } from './currencies-fees-and-cash.ts';
import { DISPUTES_AND_SETTLEMENT } from './disputes-and-settlement.ts';
import { ONE_PURCHASE } from './one-purchase.ts';
import { ORDER_AND_REPEATS } from './order-and-repeats.ts';
import { GoldenPlay } from './play.ts';
import type { Scenario } from './scenario.ts';
import { SEVERAL_CLEARINGS } from './several-clearings.ts';

const SECTIONS = {
  'one purchase': ONE_PURCHASE,
  'order, repeats, contradictions': ORDER_AND_REPEATS,
  'fuel, travel, several clearings': SEVERAL_CLEARINGS,
  'currencies, fees, cash': CURRENCIES_FEES_AND_CASH,
  credits: CREDITS,
  'disputes and settlement': DISPUTES_AND_SETTLEMENT,
  accounts: ACCOUNTS,
};

const named = (scenarios: readonly Scenario[]) => scenarios.map((scenario) => [scenario.name, scenario] as const);

function playAll(scenario: Scenario): { play: GoldenPlay; left: string[] } {
  const play = new GoldenPlay(scenario);
  return { play, left: scenario.rows.map(([action]) => play.play(action)) };
}

const find = (name: string) => {
  const scenarios = Object.values(SECTIONS).flat();
  return scenarios.find((scenario) => scenario.name.startsWith(name))!;
};

describe.each(Object.entries(SECTIONS))('%s', (_, scenarios) => {
  test.each(named(scenarios))('%s', (_name, scenario) => {
    expect(playAll(scenario).left).toEqual(scenario.rows.map(([, expected]) => expected));
  });

  test.each(named(scenarios))('%s: entries balance', (_name, scenario) => {
    const { customer, scheme_settlement, due_operator, pool } = playAll(scenario).play.balances;
    expect(customer + scheme_settlement + due_operator).toBe(pool);
  });
});

test.each`
  scenario | row  | events
  ${'G01'} | ${2} | ${['cleared']}
  ${'G05'} | ${2} | ${['reversed']}
  ${'G08'} | ${1} | ${['declined']}
  ${'G08'} | ${2} | ${['force_posted']}
  ${'G12'} | ${2} | ${['incremented']}
  ${'G12'} | ${3} | ${['declined']}
  ${'G13'} | ${1} | ${['verified']}
  ${'G14'} | ${1} | ${['verified']}
  ${'G22'} | ${4} | ${['clearing_reversed']}
  ${'G24'} | ${2} | ${[]}
  ${'G24'} | ${3} | ${['cleared', 'clearing_reversed']}
  ${'G25'} | ${1} | ${['advised']}
  ${'G39'} | ${4} | ${['expired']}
  ${'G50'} | ${1} | ${['authorized']}
  ${'G76'} | ${3} | ${['refunded']}
  ${'G87'} | ${2} | ${['refund_reversed']}
`('row $row of $scenario has the events $events', ({ scenario, row, events }) => {
  const { play } = playAll(find(scenario));
  expect(play.steps[row - 1]!.events.map(({ name }) => name)).toEqual(events);
});

test('what waited is an entry of its own, named after its own message', () => {
  const { play } = playAll(find('G24'));
  expect(play.steps[2]!.entries.map(({ reference }) => reference)).toEqual(['row-3', 'row-2']);
});

test('G92 leaves nothing to settle, and the customers their money in the pool', () => {
  const { balances } = playAll(find('G92')).play;
  expect(balances).toEqual({ customer: 75_000n, scheme_settlement: 0n, due_operator: 0n, pool: 75_000n });
});

test('a day with more credits than clearings is paid by the pool to the scheme', () => {
  const play = new GoldenPlay({ name: 'credits alone', rows: [] });
  play.play(refund(700n));
  expect(play.play({ settles: true })).toContain('| P→S 700 |');
});

test.each`
  scenario | advised                                                         | left
  ${'G17'} | ${advice('stand_in', 4_000n)}                                   | ${'recorded | 0 | 0 | 96000 | 96000 | settled | 4000/1 | – | stand_in'}
  ${'G52'} | ${advice('offline', 20_000n, { kind: 'cash', form: 'single' })} | ${'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | offline'}
`('$scenario as an advice, which is never declined: $left', ({ scenario, advised, left }) => {
  const { rows, ...begins } = find(scenario);
  const play = new GoldenPlay({ ...begins, rows });
  play.play(rows[0]![0]);
  expect(play.play(advised)).toBe(left);
  expect(play.steps.at(-1)!.after.amounts.authorized).toBe(advised.amount);
});
