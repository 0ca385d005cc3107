/** Checks batches: their holds are what items still need, each item that was reached is one payout, and totals are those of the items. */
import type { CheckContext } from '../../../group/check-context.ts';
import type { Rule } from '../../../group/finding.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { type BatchHistory, readBatchHistories, readBatchHistoriesById } from './batch-check-store.ts';

export const batchCheck: RowCheck<BatchHistory, Uuid> = {
  name: 'batches of payouts',
  // Each has up to 10,000 items.
  pageRows: 10,
  read: ({ pool, book }, page) => readBatchHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readBatchHistoriesById(pool, book.id, ids),
  holdsOf: ({ batch }) => (batch.held ? batch.payingAccounts.map(({ holdId }) => holdId) : []),
  check: checkBatch,
  placeOf: ({ batch }, until) => behindNewIds(batch.id, until),
};

function checkBatch({ report }: CheckContext, history: BatchHistory): void {
  const { batch } = history;
  const ids = { payout_batch: publicId('payoutBatch', batch.id) };
  const expect = (check: Rule, expected: string, actual: string, detail: string) => {
    if (expected !== actual) report({ check, ids, expected, actual, detail });
  };
  const sum = (of: BatchHistory['all']) => of.reduce((total, { items }) => total + Number(items), 0);
  expect('payout_batch.items', `${batch.items} items`, `${sum(history.all)} items`, 'Rows of the upload are missing.');
  expect(
    'payout_batch.payouts',
    `${batch.made} payouts, ${batch.made} of its rows`,
    `${history.payouts} payouts, ${history.payoutsOfRows} of its rows`,
    'Its payouts are not those of the items that were reached.',
  );
  for (const paying of batch.payingAccounts) {
    const needs = (of: BatchHistory['all']) => needed(of, paying);
    const account = publicId('account', paying.accountId);
    expect('payout_batch.totals', `${paying.amount}`, `${needs(history.all)}`, `Items take it from ${account}.`);
    const hold = history.holds.get(paying.holdId);
    const isWaiting = batch.status === 'processing';
    expect(
      'payout_batch.hold',
      batch.held ? `${isWaiting ? needs(history.waiting) : 0n} of ${paying.amount} held for it` : 'no hold',
      hold
        ? `${hold.remaining} of ${hold.amount} held for ${hold.resourceId === batch.id ? 'it' : hold.resourceId}`
        : 'no hold',
      `Not what its items still need of ${account}.`,
    );
  }
  checkState(history, expect);
}

function needed(
  needs: BatchHistory['all'],
  { accountId, currency, isDefault }: BatchHistory['batch']['payingAccounts'][number],
): bigint {
  return needs
    .filter(
      (need) => need.accountId === accountId || (isDefault && need.accountId === null && need.currency === currency),
    )
    .reduce((sum, { amount }) => sum + amount, 0n);
}

function checkState(
  { batch, stuckAt, openPayouts }: BatchHistory,
  expect: (check: Rule, expected: string, actual: string, detail: string) => void,
): void {
  const { status, made, held } = batch;
  const isOpen = status === 'scheduled' || status === 'processing';
  const isFinal = !isOpen && status !== 'draft' && status !== 'requires_approval';
  expect(
    'payout_batch.due',
    isOpen ? 'a due time' : 'no due time',
    batch.dueAt !== null || (isOpen && stuckAt !== null) ? 'a due time' : 'no due time',
    `The batch is ${status}.`,
  );
  const wrong = [
    isFinal && openPayouts > 0 && `${openPayouts} payouts are under way`,
    status === 'processing' && !held && 'nothing is held for it',
    made > 0 && !held && 'it has payouts and was never held',
    status === 'requires_approval' && batch.approval === null && 'nobody is to approve it',
    held && batch.approval !== null && batch.approval.given.length < batch.approval.required && 'it lacks an approval',
    batch.reason !== null && status !== 'rejected' && 'it says why it was rejected',
  ].filter((fault) => fault !== false);
  expect(
    'payout_batch.state',
    'nothing that contradicts it',
    wrong.join(', ') || 'nothing that contradicts it',
    `The batch is ${status}.`,
  );
}
