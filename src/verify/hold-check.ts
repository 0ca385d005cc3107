/**
 * Checks holds: the remainder is the amount, which steps created and increased, less every step that took from it, and
 * the status follows from the last step.
 */

import type { Check, CheckContext } from '../group/check-context.ts';
import type { Rule } from '../group/finding.ts';
import { publicId, resourceReference } from '../values/ids.ts';
import { type HoldWithSteps, readHolds } from './hold-check-store.ts';
import { readAhead } from './read-ahead.ts';

const PAGE = 1_000;

export const holdCheck: Check = {
  name: 'holds',
  async run(context) {
    const { pool, book, resources } = context;
    const pages = readAhead<HoldWithSteps>((last) =>
      readHolds(pool, book.id, { after: last?.id, limit: PAGE, resources }),
    );
    for await (const holds of pages) for (const hold of holds) checkHold(context, hold);
  },
};

export function checkHold({ report }: CheckContext, hold: HoldWithSteps): void {
  const ids = { hold: publicId('hold', hold.id), account: publicId('account', hold.accountId) };
  const expect = (check: Rule, expected: string, actual: string, detail: string) => {
    if (expected !== actual) report({ check, ids, expected, actual, detail });
  };
  expect(
    'hold.steps',
    `${hold.steps} steps, the last is ${hold.steps}, the first created ${hold.amount - hold.increased}`,
    `${hold.stepsFound} steps, the last is ${hold.lastOrdinal ?? 'none'}, the first ${hold.firstKind ?? 'nothing'} ${hold.created}`,
    'The steps of the hold are not numbered without a gap from the one that created it.',
  );
  expect(
    'hold.remaining',
    `${hold.amount - hold.taken}`,
    `${hold.remaining}`,
    'What remains of the hold is not its amount less what its steps took.',
  );
  expect(
    'hold.status',
    hold.remaining > 0n ? 'open' : (hold.lastKind ?? 'none'),
    hold.status,
    'The status of the hold is not what its last step left.',
  );
  expect(
    'hold.account',
    hold.currency,
    hold.accountCurrency ?? 'no such account',
    "The hold is not in its account's currency.",
  );
  const resource = `${hold.resource} ${resourceReference(hold.resource, hold.resourceId)}`;
  expect('hold.resource', resource, hold.hasResource ? resource : 'none', 'What the hold was made for does not exist.');
}
