/** What a step of a payout may show otherwise behind it: the members that its events compare, and no others. */
import { describe, expect, test } from 'vitest';
import { previousAttributes } from '../../../src/ledger/events/previous-attributes.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { changingMembers, payoutView } from '../../../src/payouts/payout/payout-view.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';

/** For each column that an update writes, what its row has otherwise. */
const OTHERWISE: Record<string, Partial<Payout>> = {
  status: { status: 'returned' },
  amount_returned: { amountReturned: 7n },
  returns: { returns: 7 },
  outcome: { outcome: 'unknown' },
  inquiries: { inquiries: 7 },
  next_inquiry_at: { nextInquiryAt: 7 },
  sent_at: { sentAt: 7 },
  failure_code: { failureCode: 'limit_exceeded' },
  rail_code: { railCode: 'R 7' },
  rail_reference: { railReference: 'R 7' },
  entry_ids: { entryIds: [] },
  packed_entry_ids: { entryIds: ['018f4d3e-7b2a-7000-8000-000000000007'] },
  version: { version: 7 },
  due_at: { dueAt: 7 },
  updated_at: { updatedAt: 7 },
};

/** What only steps change that compare the whole view (payout-steps.ts, restate), and the mark that their event is the first one now. */
const RESTATED = [
  'unheld',
  'rail',
  'expected_arrival',
  'counted_on',
  'description',
  'remittance',
  'purpose_code',
  'external_id',
  'metadata',
  'reason',
  'text_salt',
  'approval',
  'scheduled_for',
  'first_event',
  'first_form',
];

test('every column that an update writes is among them', () => {
  const written = payouts.columns
    .filter(({ name, changes }) => changes && !RESTATED.includes(name))
    .map(({ name }) => name);
  expect(Object.keys(OTHERWISE)).toEqual(written);
});

const LIVES: Record<string, (scene: PayoutScene) => Payout> = {
  pending: (scene) => scene.accepted({ description: 'rent', metadata: { a: '1' } }),
  processing: (scene) => scene.processing(),
  paid: (scene) => scene.paid(),
  failed: (scene) => scene.failed(),
};

describe.each(Object.entries(LIVES))('of a payout that is %s', (_, live) => {
  const payout = live(new PayoutScene(LATEST_FORMS));

  test.each(Object.entries(OTHERWISE))('%s changes no other member of the view', (_, change) => {
    const changed = { ...payout, ...change };
    const whole = previousAttributes(payoutView(payout, false), payoutView(changed, false));
    const compared = previousAttributes(changingMembers(payout), payoutView(changed, false));
    expect(Object.entries(compared)).toEqual(Object.entries(whole));
  });
});

test('they are in the order of the view', () => {
  const names = Object.keys(changingMembers(new PayoutScene().accepted()));
  const view = Object.keys(payoutView(new PayoutScene().accepted(), false));
  expect(view.filter((name) => names.includes(name))).toEqual(names);
});
