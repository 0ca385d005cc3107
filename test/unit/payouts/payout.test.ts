import { beforeEach, describe, expect, test } from 'vitest';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { advance } from '../../../src/ledger/resources/resource.ts';
import { PAYOUT_TRANSITIONS, type Payout, type PayoutStatus, waitingOn } from '../../../src/payouts/payout/payout.ts';
import { payoutResource } from '../../../src/payouts/payout/payout-resource.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';
import { momentAt } from '../../support/moment.ts';

const STATUSES = Object.keys(PAYOUT_TRANSITIONS) as PayoutStatus[];
const reached = new Set<string>();

let scene: PayoutScene;
beforeEach(() => {
  scene = new PayoutScene();
});

function advanced(payout: Payout, change: Partial<Payout>, moment: number): Payout {
  const id = '018f4d3e-7b2a-7000-8000-000000000001';
  return advance(
    new Draft(scene.memory.state([]), { id, requestId: id }, momentAt(moment)),
    payoutResource,
    payout,
    change,
  );
}

describe('every transition has a command', () => {
  test.each`
    from                   | to                     | by
    ${'pending'}           | ${'processing'}        | ${() => scene.processing()}
    ${'pending'}           | ${'failed'}            | ${() => reserveFrozen()}
    ${'pending'}           | ${'canceled'}          | ${() => cancel()}
    ${'processing'}        | ${'paid'}              | ${() => scene.paid()}
    ${'processing'}        | ${'failed'}            | ${() => scene.failed()}
    ${'paid'}              | ${'returned'}          | ${() => scene.giveBack(scene.paid(), 1_000n)}
    ${'failed'}            | ${'paid'}              | ${() => scene.settle(scene.failed(), { status: 'paid' })}
    ${'requires_approval'} | ${'pending'}           | ${() => contracted.judge(contracted.unapproved(), 'approve')}
    ${'requires_approval'} | ${'scheduled'}         | ${() => contracted.judge(contracted.unapproved(later()), 'approve')}
    ${'requires_approval'} | ${'rejected'}          | ${() => contracted.judge(contracted.unapproved(), 'reject')}
    ${'requires_approval'} | ${'canceled'}          | ${() => canceled(contracted.unapproved())}
    ${'scheduled'}         | ${'requires_approval'} | ${() => contracted.update(approved(), { remittance: 'Invoice 18' })}
    ${'scheduled'}         | ${'pending'}           | ${() => contracted.release(contracted.accepted(later()), { keptBack: true })}
    ${'scheduled'}         | ${'failed'}            | ${() => contracted.release(contracted.accepted({ ...later(), amount: 100_000n }))}
    ${'scheduled'}         | ${'canceled'}          | ${() => canceled(contracted.accepted(later()))}
  `('$from → $to', ({ from, to, by }: { from: PayoutStatus; to: PayoutStatus; by: () => { status: string } }) => {
    expect(by().status).toBe(to);
    expect(PAYOUT_TRANSITIONS[from]).toContain(to);
    reached.add(`${from} ${to}`);
  });

  test('and no other transition is declared', () => {
    const declared = STATUSES.flatMap((from) => PAYOUT_TRANSITIONS[from].map((to) => `${from} ${to}`));
    expect(new Set(declared)).toEqual(reached);
  });

  const contracted = new PayoutScene(LATEST_FORMS);
  const later = () => ({ scheduledFor: { at: contracted.memory.now + 1_000 } });
  const approved = () => contracted.judge(contracted.unapproved(later()), 'approve');

  function canceled(payout: Payout) {
    contracted.cancel(payout);
    return contracted.now(payout);
  }

  function reserveFrozen() {
    const payout = scene.accepted();
    scene.change(scene.source, { status: 'frozen' });
    return scene.reserve(payout);
  }

  function cancel() {
    const payout = scene.accepted();
    scene.cancel(payout);
    return scene.now(payout);
  }
});

describe('every other step is a bug', () => {
  const forbidden = STATUSES.flatMap((from) =>
    STATUSES.filter((to) => to !== from && !PAYOUT_TRANSITIONS[from].includes(to)).map((to) => [from, to] as const),
  );

  test.each(forbidden)('%s → %s', (from, to) => {
    const payout = { ...scene.accepted(), status: from };
    expect(() => advanced(payout, { status: to }, 1)).toThrow(`does not go from ${from} to ${to}`);
  });
});

test('every change increments the version', () => {
  const payout = scene.accepted();
  expect(advanced(payout, { inquiries: 1 }, 9)).toEqual({ ...payout, inquiries: 1, version: 2, updatedAt: 9 });
});

test.each`
  status                 | outcome      | who
  ${'pending'}           | ${null}      | ${'ledger'}
  ${'processing'}        | ${null}      | ${'rail'}
  ${'processing'}        | ${'unknown'} | ${'inquiry'}
  ${'paid'}              | ${null}      | ${'nobody'}
  ${'failed'}            | ${null}      | ${'nobody'}
  ${'canceled'}          | ${null}      | ${'nobody'}
  ${'requires_approval'} | ${null}      | ${'approver'}
  ${'scheduled'}         | ${null}      | ${'schedule'}
  ${'rejected'}          | ${null}      | ${'nobody'}
  ${'returned'}          | ${null}      | ${'nobody'}
`('a payout that is $status with outcome $outcome waits on $who', ({ status, outcome, who }) => {
  expect(waitingOn({ ...scene.accepted(), status, outcome })).toBe(who);
});

test.each(['pending', 'processing'] as const)('a payout that is %s and kept back waits for the operator', (status) => {
  expect(waitingOn({ ...scene.accepted(), status, pausedAt: 1 })).toBe('paused');
});
