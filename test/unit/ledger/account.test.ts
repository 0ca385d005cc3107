import { describe, expect, test } from 'vitest';
import { type Account, available, covers, held, move, posted, withHeld } from '../../../src/ledger/account/account.ts';
import { CHART, chartAccountId, newAccount } from '../../../src/ledger/account/chart.ts';
import { MAX_TOTAL } from '../../../src/money/amount.ts';
import { newId } from '../../../src/values/ids.ts';

/** A customer account in EUR with 1,000 posted and nothing held, with the changes of a case. */
const account = (change: Partial<Account> = {}): Account => ({
  ...newAccount('018f4d3e-7b2a-7000-8000-000000000001', 'customer', 'EUR'),
  postedCredits: 1_000n,
  lines: 1n,
  ...change,
});

describe('balances', () => {
  test.each`
    side        | debits  | credits   | heldDebits | heldCredits | posted   | held    | available
    ${'credit'} | ${0n}   | ${0n}     | ${0n}      | ${0n}       | ${0n}    | ${0n}   | ${0n}
    ${'credit'} | ${300n} | ${1_000n} | ${0n}      | ${0n}       | ${700n}  | ${0n}   | ${700n}
    ${'credit'} | ${300n} | ${1_000n} | ${200n}    | ${0n}       | ${700n}  | ${200n} | ${500n}
    ${'credit'} | ${300n} | ${100n}   | ${50n}     | ${0n}       | ${-200n} | ${50n}  | ${-250n}
    ${'debit'}  | ${300n} | ${1_000n} | ${0n}      | ${0n}       | ${-700n} | ${0n}   | ${-700n}
    ${'debit'}  | ${900n} | ${100n}   | ${0n}      | ${40n}      | ${800n}  | ${40n}  | ${760n}
  `(
    'a $side account with debits $debits, credits $credits has $posted posted, $held held, $available available',
    (row) => {
      const of = account({
        side: row.side,
        postedDebits: row.debits,
        postedCredits: row.credits,
        heldDebits: row.heldDebits,
        heldCredits: row.heldCredits,
      });
      expect([posted(of), held(of), available(of)]).toEqual([row.posted, row.held, row.available]);
    },
  );

  test.each`
    floor    | held      | amount       | covered
    ${0n}    | ${0n}     | ${1_000n}    | ${true}
    ${0n}    | ${0n}     | ${1_001n}    | ${false}
    ${0n}    | ${1n}     | ${1_000n}    | ${false}
    ${0n}    | ${1n}     | ${999n}      | ${true}
    ${-500n} | ${0n}     | ${1_500n}    | ${true}
    ${-500n} | ${0n}     | ${1_501n}    | ${false}
    ${100n}  | ${0n}     | ${900n}      | ${true}
    ${100n}  | ${0n}     | ${901n}      | ${false}
    ${null}  | ${1_000n} | ${MAX_TOTAL} | ${true}
  `('1,000 with a floor of $floor and $held held covers $amount: $covered', ({ floor, held, amount, covered }) => {
    expect(covers(account({ floor, heldDebits: held }), amount)).toBe(covered);
  });

  test('a hold reduces the available balance, on the side that decreases the account', () => {
    expect(available(withHeld(account(), 300n))).toBe(700n);
    expect(withHeld(account(), 300n)).toMatchObject({ heldDebits: 300n, heldCredits: 0n });
    expect(withHeld(account({ side: 'debit' }), 300n)).toMatchObject({ heldDebits: 0n, heldCredits: 300n });
    expect(withHeld(withHeld(account(), 300n), -300n)).toEqual(account());
  });
});

describe('a posting line', () => {
  const closedFrozenEmpty = { currency: 'JPY', floor: 0n, postedCredits: 0n };
  const all = { allowFrozen: true, allowClosed: true, overrideFloor: true };
  const full = { postedCredits: MAX_TOTAL };

  // In the order of the guards: the first guard that applies gives the answer.
  test.each`
    account                                       | direction   | amount    | permissions                                   | answer
    ${{ ...closedFrozenEmpty, status: 'closed' }} | ${'debit'}  | ${1n}     | ${{}}                                         | ${'currency_mismatch'}
    ${{ ...closedFrozenEmpty, status: 'closed' }} | ${'credit'} | ${1n}     | ${all}                                        | ${'currency_mismatch'}
    ${{ status: 'closed' }}                       | ${'debit'}  | ${1_001n} | ${{}}                                         | ${'account_closed'}
    ${{ status: 'closed' }}                       | ${'credit'} | ${1n}     | ${{}}                                         | ${'account_closed'}
    ${{ status: 'closed' }}                       | ${'credit'} | ${1n}     | ${{ allowFrozen: true, overrideFloor: true }} | ${'account_closed'}
    ${{ status: 'closed' }}                       | ${'credit'} | ${1n}     | ${{ allowClosed: true }}                      | ${'moved'}
    ${{ status: 'closed' }}                       | ${'debit'}  | ${1_001n} | ${{ allowClosed: true }}                      | ${'insufficient_funds'}
    ${{ status: 'closed' }}                       | ${'debit'}  | ${1_001n} | ${{ allowClosed: true, overrideFloor: true }} | ${'moved'}
    ${{ status: 'frozen' }}                       | ${'debit'}  | ${1_001n} | ${{}}                                         | ${'account_frozen'}
    ${{ status: 'frozen' }}                       | ${'debit'}  | ${1_000n} | ${{ allowClosed: true }}                      | ${'account_frozen'}
    ${{ status: 'frozen' }}                       | ${'debit'}  | ${1_000n} | ${{ allowFrozen: true }}                      | ${'moved'}
    ${{ status: 'frozen' }}                       | ${'debit'}  | ${1_001n} | ${{ allowFrozen: true }}                      | ${'insufficient_funds'}
    ${{ status: 'frozen' }}                       | ${'debit'}  | ${1_001n} | ${{ overrideFloor: true }}                    | ${'moved'}
    ${{ status: 'frozen' }}                       | ${'credit'} | ${1n}     | ${{}}                                         | ${'moved'}
    ${{}}                                         | ${'debit'}  | ${1_000n} | ${{}}                                         | ${'moved'}
    ${{}}                                         | ${'debit'}  | ${1_001n} | ${{}}                                         | ${'insufficient_funds'}
    ${{}}                                         | ${'debit'}  | ${1_001n} | ${{ allowFrozen: true, allowClosed: true }}   | ${'insufficient_funds'}
    ${{ heldDebits: 1n }}                         | ${'debit'}  | ${1_000n} | ${{}}                                         | ${'insufficient_funds'}
    ${{ floor: -1n }}                             | ${'debit'}  | ${1_001n} | ${{}}                                         | ${'moved'}
    ${{ floor: null }}                            | ${'debit'}  | ${9_999n} | ${{}}                                         | ${'moved'}
    ${{}}                                         | ${'debit'}  | ${1_001n} | ${{ overrideFloor: true }}                    | ${'moved'}
    ${{ postedDebits: 5_000n }}                   | ${'credit'} | ${1n}     | ${{}}                                         | ${'moved'}
    ${{ side: 'debit', floor: 0n }}               | ${'credit'} | ${1n}     | ${{}}                                         | ${'insufficient_funds'}
    ${{ side: 'debit', floor: 0n }}               | ${'debit'}  | ${1n}     | ${{}}                                         | ${'moved'}
    ${full}                                       | ${'credit'} | ${1n}     | ${all}                                        | ${'limit_exceeded'}
    ${{ postedCredits: MAX_TOTAL - 1n }}          | ${'credit'} | ${1n}     | ${{}}                                         | ${'moved'}
    ${{ ...full, postedDebits: MAX_TOTAL }}       | ${'debit'}  | ${1n}     | ${all}                                        | ${'limit_exceeded'}
  `(
    'on $account: $direction $amount with $permissions is $answer',
    ({ account: change, direction, amount, permissions, answer }) => {
      const before = account(change);
      const result = move(before, { direction, amount, currency: 'EUR' }, permissions);
      if (answer === 'moved') {
        const side = direction === 'debit' ? 'postedDebits' : 'postedCredits';
        expect(result).toEqual({ ...before, [side]: before[side] + amount, lines: before.lines + 1n });
      } else {
        expect(result).toEqual({ code: answer, accountId: before.id });
      }
    },
  );

  test('leaves the account before it unchanged', () => {
    const before = account();
    const copy = { ...before };
    move(before, { direction: 'debit', amount: 1n, currency: 'EUR' });
    expect(before).toEqual(copy);
  });
});

describe('the chart', () => {
  test.each`
    code                    | side        | floor
    ${'pool'}               | ${'debit'}  | ${null}
    ${'acquirer'}           | ${'debit'}  | ${null}
    ${'fx_position'}        | ${'debit'}  | ${null}
    ${'bank'}               | ${'debit'}  | ${null}
    ${'suspense'}           | ${'debit'}  | ${null}
    ${'unallocated'}        | ${'credit'} | ${null}
    ${'own_funds'}          | ${'credit'} | ${null}
    ${'rail_costs'}         | ${'debit'}  | ${null}
    ${'bank_charges'}       | ${'debit'}  | ${null}
    ${'differences'}        | ${'debit'}  | ${null}
    ${'interest'}           | ${'credit'} | ${null}
    ${'credit_losses'}      | ${'debit'}  | ${null}
    ${'customer'}           | ${'credit'} | ${0n}
    ${'payouts_in_transit'} | ${'credit'} | ${0n}
    ${'refunds_in_transit'} | ${'credit'} | ${0n}
    ${'merchant_pending'}   | ${'credit'} | ${null}
    ${'scheme_settlement'}  | ${'credit'} | ${null}
    ${'due_operator'}       | ${'credit'} | ${null}
  `('$code grows on its $side side, floor $floor', ({ code, side, floor }) => {
    expect(CHART[code as keyof typeof CHART]).toEqual({ side, floor });
  });

  test('a chart account has one id for each book, code and currency', () => {
    const [book, other] = [newId(), newId()];
    expect(chartAccountId(book, 'pool', 'EUR')).toBe(chartAccountId(book, 'pool', 'EUR'));
    const ids = [
      chartAccountId(book, 'pool', 'EUR'),
      chartAccountId(book, 'pool', 'JOD'),
      chartAccountId(book, 'acquirer', 'EUR'),
      chartAccountId(other, 'pool', 'EUR'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
