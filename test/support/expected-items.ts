/** Expected items for tests, where no mirror makes them. */
import type { ExpectedItem } from '../../src/reconciliation/items/expected-item.ts';
import { systemClock } from '../../src/values/clock.ts';
import { newId } from '../../src/values/ids.ts';

/** A payout of 25.000 JOD by the sandbox rail that no bank has shown. */
export function expectedItem(change: Partial<ExpectedItem> = {}): ExpectedItem {
  const { amount = 25_000n } = change;
  return {
    id: newId(),
    party: 'sandbox',
    clearing: 'rail_clearing',
    clearingAccountId: newId(),
    direction: 'out',
    amount,
    amountOpen: amount,
    currency: 'JOD',
    expectedOn: '2026-11-03',
    status: 'open',
    bankAccountId: null,
    ofBook: newId(),
    resource: 'payout',
    resourceId: newId(),
    poolLine: 1n,
    endToEndId: 'E1',
    bankReference: null,
    documentReference: null,
    batchId: null,
    entryId: newId(),
    openingEntryId: null,
    exceptionId: null,
    createdAt: systemClock.now(),
    ...change,
  };
}
