/** Checks payouts: the journal, the hold, the returns and the due time match the status. */

import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { Rule } from '../../../group/finding.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { formatInstantOrNull } from '../../../values/clock.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { type PayoutHistory, readPayoutHistories, readPayoutHistoriesById } from './payout-check-store.ts';
import { holdAfter, mustBeUnheld, possibleSteps, postingsOf } from './payout-history.ts';

export const payoutCheck: RowCheck<PayoutHistory, Uuid> = {
  name: 'payouts',
  pageRows: 500,
  read: ({ pool, book }, page) => readPayoutHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readPayoutHistoriesById(pool, book.id, ids),
  holdsOf: ({ payout }) => (payout.unheld ? [] : [payout.holdId]),
  check: checkPayout,
  placeOf: ({ payout }, until) => behindNewIds(payout.id, until),
};

export const payoutEquation = equationOf({
  rows: payoutCheck,
  resources: ['payout'],
  codes: ['payouts_in_transit', 'pool', 'due_operator'],
  balancesOf: ({ payout, entries, returnSteps }) => {
    const { id, status, accountId, amount, currency, fee, destination } = payout;
    const isPaid = status === 'paid' || status === 'returned';
    const transit = status === 'processing' ? amount : 0n;
    const paid = isPaid ? amount : 0n;
    const returned = returnSteps.reduce((sum, step) => sum + step.amount, 0n);
    // A payout that was paid after it had failed has given its fee back.
    const charged = isPaid && !entries.some(({ step }) => step === 'failed') ? fee : 0n;
    const isWithinBook = destination.type === 'account';
    return [
      {
        ...{ resource: 'payout', id, currency, entries },
        chart: {
          payouts_in_transit: transit,
          pool: (isWithinBook ? 0n : paid) - returned,
          due_operator: charged,
        },
        customers: [
          [accountId, returned - transit - paid - charged],
          ...(isWithinBook ? [[destination.accountId, paid] as const] : []),
        ],
      },
    ];
  },
});

function checkPayout({ book, report }: CheckContext, history: PayoutHistory): void {
  const { payout, entries, returnSteps, begunBy } = history;
  const ids = { payout: publicId('payout', payout.id) };
  const expect = (check: Rule, expected: string, actual: string, detail: string) => {
    if (expected !== actual) report({ check, ids, expected, actual, detail });
  };

  const steps = entries.map(({ step }) => step);
  const possible = possibleSteps(payout).map((series) => series.join(', ') || 'no step');
  const booked = steps.join(', ') || 'no step';
  if (possible.includes(booked)) {
    let returned = 0;
    for (const { step, postings } of entries) {
      const amount = step.startsWith('returned_') ? (returnSteps[returned++]?.amount ?? 0n) : 0n;
      expect(
        'payout.postings',
        shown(postingsOf(book.id, payout, step, amount).map((posting) => ({ currency: payout.currency, ...posting }))),
        shown(postings.map((line) => ({ debit: line.debitAccountId, credit: line.creditAccountId, ...line }))),
        `The postings of step ${step} are not those of the payout.`,
      );
    }
  } else {
    expect('payout.steps', possible.join(' or '), booked, `What was booked does not make a payout ${payout.status}.`);
  }
  expect(
    'payout.entry_ids',
    entries.map(({ id }) => publicId('entry', id)).join(', '),
    namedEntries(payout.entryIds),
    "The payout's row names other entries than the journal has for it.",
  );
  if (payout.firstEvent !== null)
    expect(
      'payout.first_event',
      'one that has all members',
      begunBy !== null && WITH_ALL_MEMBERS.has(begunBy)
        ? 'one that has all members'
        : (begunBy ?? 'no event of the payout'),
      'Its events take from another one.',
    );
  checkReturns(history, expect);
  checkHold(history, steps, expect);
  checkRow(history, expect);
}

/** Its first event, and those of steps that restate its members. */
const WITH_ALL_MEMBERS: ReadonlySet<string> = new Set([
  'payout.created',
  'payout.updated',
  'payout.requires_approval',
  'payout.approved',
  'payout.rejected',
]);

/** The column is JSON, and may hold anything once another program has written it. */
function namedEntries(ids: unknown): string {
  const isList = Array.isArray(ids) && ids.every((id) => typeof id === 'string');
  return isList ? ids.map((id) => publicId('entry', id)).join(', ') : JSON.stringify(ids);
}

type Expect = (check: Rule, expected: string, actual: string, detail: string) => void;

function shown(lines: readonly { debit: string; credit: string; amount: bigint; currency: string }[]): string {
  return lines
    .map(
      ({ debit, credit, amount, currency }) =>
        `${publicId('account', debit)} → ${publicId('account', credit)} ${amount} ${currency}`,
    )
    .join('; ');
}

function checkReturns({ payout, entries, returned, returnSteps }: PayoutHistory, expect: Expect): void {
  expect(
    'payout.returns',
    `${returned}, ${returnSteps.length} times in a step of the payout`,
    `${payout.amountReturned}, ${payout.returns} times in a step of the payout`,
    'What the payout says has come back is not the sum of its returns.',
  );
  expect(
    'payout.returns',
    entries
      .filter(({ step }) => step.startsWith('returned_'))
      .map(({ id }) => publicId('entry', id))
      .join(', '),
    returnSteps.map(({ entryId }) => publicId('entry', entryId)).join(', '),
    'The returns name other entries than the journal has for them.',
  );
}

function checkHold({ payout, hold }: PayoutHistory, steps: readonly string[], expect: Expect): void {
  const unheld = mustBeUnheld(payout) ?? payout.unheld;
  expect('payout.unheld', String(unheld), String(payout.unheld), `The payout is ${payout.status}.`);
  if (unheld) {
    expect(
      'payout.hold',
      'no hold',
      hold ? 'a hold' : 'no hold',
      'Something is held for a payout that was never released.',
    );
    return;
  }
  const { remaining, status } = holdAfter(payout, steps);
  const described = (of: {
    accountId: string;
    amount: bigint;
    remaining: bigint;
    status: string;
    resourceId: string;
  }) =>
    `${of.status}, ${of.remaining} of ${of.amount} left, on ${publicId('account', of.accountId)} for ${publicId('payout', of.resourceId)}`;
  expect(
    'payout.hold',
    described({ ...payout, resourceId: payout.id, amount: payout.amount + payout.fee, remaining, status }),
    hold ? described(hold) : 'no hold',
    `The hold is not that of a payout that is ${payout.status}.`,
  );
}

function checkRow({ payout, stuckAt }: PayoutHistory, expect: Expect): void {
  const open = payout.status === 'scheduled' || payout.status === 'pending' || payout.status === 'processing';
  const isDue = payout.dueAt !== null || (open && stuckAt !== null);
  expect(
    'payout.due',
    open ? 'a due time' : 'no due time',
    isDue ? 'a due time' : 'no due time',
    open
      ? 'The sweeper would not enqueue this payout again.'
      : `The payout is ${payout.status} and somebody would still be asked, at ${formatInstantOrNull(payout.dueAt)}.`,
  );
  const whole = payout.amountReturned === payout.amount;
  const wrong = [
    whole !== (payout.status === 'returned') && `${payout.amountReturned} of ${payout.amount} came back`,
    payout.outcome !== null && payout.status !== 'processing' && `its outcome is ${payout.outcome}`,
    payout.status === 'scheduled' && payout.scheduledFor === null && 'it has no time',
    payout.status === 'requires_approval' && payout.approval === null && 'nobody is to approve it',
    payout.status !== 'requires_approval' && isUnapproved(payout) && 'it lacks an approval',
    payout.reason !== null && payout.status !== 'rejected' && 'it says why it was rejected',
    (payout.failureCode !== null) !== (payout.status === 'failed') && `its failure code is ${payout.failureCode}`,
    (payout.sentAt !== null) !== payout.entryIds.length > 0 && `it was sent at ${formatInstantOrNull(payout.sentAt)}`,
  ].filter((fault) => fault !== false);
  expect(
    'payout.state',
    'nothing that contradicts it',
    wrong.join(', ') || 'nothing that contradicts it',
    `The payout is ${payout.status}.`,
  );
}

/** It went on without the people that it needed. Those that ended before are left out. */
function isUnapproved({ approval, status }: PayoutHistory['payout']): boolean {
  if (approval === null || status === 'rejected' || status === 'canceled') return false;
  const people = new Set(approval.given.map(({ actor }) => actor.split(':').slice(0, 2).join(':')));
  return people.size < approval.required || people.has(approval.madeBy.split(':').slice(0, 2).join(':'));
}
