import { expect, test } from 'vitest';
import { failureCodeOf } from '../../../src/rails/failure-codes.ts';
import { scriptOf } from '../../../src/rails/sandbox-aliases.ts';

test.each`
  alias            | status        | failure                        | breaksOff
  ${'PENDING'}     | ${'pending'}  | ${undefined}                   | ${undefined}
  ${'NOALIAS'}     | ${'rejected'} | ${'alias_unregistered'}        | ${undefined}
  ${'CLOSED'}      | ${'rejected'} | ${'payee_account_closed'}      | ${undefined}
  ${'BLOCKED'}     | ${'rejected'} | ${'payee_account_blocked'}     | ${undefined}
  ${'LIMIT'}       | ${'rejected'} | ${'amount_exceeds_rail_limit'} | ${undefined}
  ${'MISMATCH'}    | ${'rejected'} | ${'payee_name_mismatch'}       | ${undefined}
  ${'BANKDOWN'}    | ${'rejected'} | ${'payee_bank_unavailable'}    | ${undefined}
  ${'TIMEOUT'}     | ${'paid'}     | ${undefined}                   | ${true}
  ${'TIMEOUTFAIL'} | ${'rejected'} | ${'payee_bank_unavailable'}    | ${true}
  ${'RETURN'}      | ${'paid'}     | ${undefined}                   | ${undefined}
  ${'ALICE'}       | ${'paid'}     | ${undefined}                   | ${undefined}
  ${'pending'}     | ${'paid'}     | ${undefined}                   | ${undefined}
`('$alias is $status at the rail', ({ alias, status, failure, breaksOff }) => {
  const script = scriptOf(alias);
  expect(script).toMatchObject({ status });
  expect(script.code && failureCodeOf(script.code)).toBe(failure);
  expect(script.breaksOff).toBe(breaksOff);
});

test.each`
  alias           | amount  | returned
  ${'RETURN'}     | ${900n} | ${900n}
  ${'RETURNHALF'} | ${900n} | ${450n}
  ${'RETURNHALF'} | ${901n} | ${450n}
  ${'RETURNHALF'} | ${2n}   | ${1n}
  ${'RETURNHALF'} | ${1n}   | ${1n}
  ${'ALICE'}      | ${900n} | ${undefined}
`('of $amount to $alias, $returned is returned', ({ alias, amount, returned }) => {
  expect(scriptOf(alias).returned?.(amount)).toBe(returned);
});
