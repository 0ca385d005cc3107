import { expect, test } from 'vitest';
import { editsWithin, nearestName } from '../../../src/api/nearest.ts';

const KNOWN = ['status', 'created_at', 'external_id', 'metadata', 'limit'];

test.each`
  given           | nearest
  ${'stauts'}     | ${'status'}
  ${'state'}      | ${'status'}
  ${'Status'}     | ${'status'}
  ${'createdAt'}  | ${'created_at'}
  ${'created_on'} | ${'created_at'}
  ${'meta'}       | ${undefined}
  ${'limits'}     | ${'limit'}
  ${''}           | ${undefined}
  ${'colour'}     | ${undefined}
`('$given probably means $nearest', ({ given, nearest }) => {
  expect(nearestName(given, KNOWN)).toBe(nearest);
});

test.each`
  one          | other        | edits
  ${'cancle'}  | ${'cancel'}  | ${1}
  ${'payout'}  | ${'payouts'} | ${1}
  ${'payouts'} | ${'payout'}  | ${1}
  ${'abc'}     | ${'xyz'}     | ${undefined}
  ${'abcd'}    | ${'badc'}    | ${2}
  ${'same'}    | ${'same'}    | ${0}
`('$one and $other are $edits edits apart', ({ one, other, edits }) => {
  expect(editsWithin(one, other, 2)).toBe(edits);
});
