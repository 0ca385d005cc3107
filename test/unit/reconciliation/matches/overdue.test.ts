import { expect, test } from 'vitest';
import { casesOf, isOverdue, type StatedAccount } from '../../../../src/reconciliation/matches/overdue.ts';
import { expectedItem } from '../../../support/expected-items.ts';

const account = (statedTo: string | null, change: Partial<StatedAccount['account']> = {}): StatedAccount => ({
  statedTo,
  account: { id: 'B1', currency: 'JOD', calendar: 'fri_sat', windowAfter: 5, parties: [], ...change },
});
const ofParty = (party: string) => [{ party, accounts: [], names: [], settles: 'single' } as const];

/** 3 November 2026 is a Tuesday; Friday and Saturday are no business days: the window ends on Tuesday, 10 November. */
const item = expectedItem({ expectedOn: '2026-11-03', party: 'rail' });

test.each`
  accounts                                                                        | overdue  | why
  ${[account('2026-11-10')]}                                                      | ${false} | ${'the last day of the window is stated, and the next one may correct it'}
  ${[account('2026-11-11')]}                                                      | ${true}  | ${'a day beyond it is stated'}
  ${[account(null)]}                                                              | ${false} | ${'nothing is stated'}
  ${[]}                                                                           | ${false} | ${'there is no bank account'}
  ${[account('2026-11-11', { currency: 'USD' })]}                                 | ${false} | ${'it is of another currency'}
  ${[account('2026-11-11'), account('2026-11-04')]}                               | ${false} | ${'another account may show it'}
  ${[account('2026-11-11', { parties: ofParty('rail') }), account('2026-11-04')]} | ${true}  | ${'the account of its party has stated it'}
  ${[account('2026-11-11', { parties: ofParty('acme') }), account(null)]}         | ${false} | ${'nobody states who pays at the other'}
  ${[account('2026-11-11', { windowAfter: 10 })]}                                 | ${false} | ${'the window is longer'}
`('overdue: $overdue, since $why', ({ accounts, overdue }) => {
  expect(isOverdue(accounts, item)).toBe(overdue);
});

test('what an item and its return have in common is one case, of what left', () => {
  const back = { direction: 'in', resource: 'payout_return', clearingAccountId: item.clearingAccountId } as const;
  const returned = expectedItem({ ...back, id: 'in' });
  const other = expectedItem({ ...back, id: 'other', endToEndId: 'E2' });
  const cases = casesOf([returned, item, other]).map((one) => [one.item.id, one.counter?.id]);
  expect(cases).toEqual([
    [item.id, 'in'],
    ['other', undefined],
  ]);
});
