import { expect, test } from 'vitest';
import { failureCodeOf, RAIL_FAILURE_CODES, railCodeOf } from '../../../src/rails/failure-codes.ts';

test.each`
  railCode     | failureCode
  ${'AC04'}    | ${'payee_account_closed'}
  ${'AC06'}    | ${'payee_account_blocked'}
  ${'AC03'}    | ${'payee_account_invalid'}
  ${'BE23'}    | ${'alias_unregistered'}
  ${'BE01'}    | ${'payee_name_mismatch'}
  ${'AB08'}    | ${'payee_bank_unavailable'}
  ${'AC02'}    | ${'rail_suspended'}
  ${'AC13'}    | ${'rail_suspended'}
  ${'AC15'}    | ${'payee_account_invalid'}
  ${'RC01'}    | ${'payee_account_invalid'}
  ${'RC03'}    | ${'rail_suspended'}
  ${'RR01'}    | ${'compliance_rejected'}
  ${'ED05'}    | ${'payee_bank_unavailable'}
  ${'FF01'}    | ${'rail_suspended'}
  ${'LEGL'}    | ${'compliance_rejected'}
  ${'AM02'}    | ${'amount_exceeds_rail_limit'}
  ${'AG11'}    | ${'rail_suspended'}
  ${'MS03'}    | ${'refused_by_payee'}
  ${'RR04'}    | ${'compliance_rejected'}
  ${'XX99'}    | ${'refused_by_payee'}
  ${null}      | ${'refused_by_payee'}
  ${undefined} | ${'refused_by_payee'}
`('the rail code $railCode means $failureCode', ({ railCode, failureCode }) => {
  expect(failureCodeOf(railCode)).toBe(failureCode);
});

test.each(RAIL_FAILURE_CODES)('%s has a rail code with that meaning', (code) => {
  expect(failureCodeOf(railCodeOf(code))).toBe(code);
});

test('a rail code stays unchanged', () => {
  expect(railCodeOf('AM14')).toBe('AM14');
});
