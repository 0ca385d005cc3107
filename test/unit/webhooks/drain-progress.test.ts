/** The machine of a drain: how far it has come with the backlog that its process has leased. */
import { describe, expect, test } from 'vitest';
import { DRAIN_TRANSITIONS, DrainProgress, type DrainState } from '../../../src/webhooks/drains/drain-progress.ts';

const LAST_PAGE = { next: 20n, isLast: true, isSparse: false };
const LEASE = { until: 2_000, waitingFrom: 15n };

const behind = () => new DrainProgress({ until: 1_000, behindSince: 500, waitingFrom: 10n });
const after = (from: DrainProgress, ...steps: ((progress: DrainProgress) => void)[]) => {
  for (const step of steps) step(from);
  return from;
};

/** A drain in each state, as a process gets there. */
const IN_STATE: Record<DrainState, () => DrainProgress> = {
  reading: behind,
  read: () => after(behind(), (progress) => progress.pageRead(LAST_PAGE)),
  reading_rest: () => after(IN_STATE.read(), (progress) => progress.caughtUp()),
  rest_read: () => after(IN_STATE.reading_rest(), (progress) => progress.pageRead(LAST_PAGE)),
  cleared: () => after(IN_STATE.rest_read(), (progress) => progress.cleared()),
  released: () => after(behind(), (progress) => progress.released()),
  lost: () => after(behind(), (progress) => void progress.leaseWritten(LEASE, undefined)),
};

const STEPS: Record<string, (progress: DrainProgress) => void> = {
  page: (progress) => progress.pageRead({ next: 20n, isLast: false, isSparse: true }),
  'last page': (progress) => progress.pageRead(LAST_PAGE),
  'caught up': (progress) => progress.caughtUp(),
  'fell behind': (progress) => progress.fellBehind(900),
  'go back': (progress) => progress.goBackTo(12n),
  renewed: (progress) => void progress.leaseWritten(LEASE, 15n),
  'renewed, some joined': (progress) => void progress.leaseWritten(LEASE, 12n),
  lost: (progress) => void progress.leaseWritten(LEASE, undefined),
  cleared: (progress) => progress.cleared(),
  released: (progress) => progress.released(),
};

describe('every step in every state', () => {
  test.each`
    step                      | reading       | read              | reading_rest      | rest_read         | cleared     | released    | lost
    ${'page'}                 | ${'reading'}  | ${'throws'}       | ${'reading_rest'} | ${'throws'}       | ${'throws'} | ${'throws'} | ${'throws'}
    ${'last page'}            | ${'read'}     | ${'throws'}       | ${'rest_read'}    | ${'throws'}       | ${'throws'} | ${'throws'} | ${'throws'}
    ${'caught up'}            | ${'throws'}   | ${'reading_rest'} | ${'throws'}       | ${'throws'}       | ${'throws'} | ${'throws'} | ${'throws'}
    ${'fell behind'}          | ${'throws'}   | ${'throws'}       | ${'reading'}      | ${'reading'}      | ${'throws'} | ${'throws'} | ${'throws'}
    ${'go back'}              | ${'reading'}  | ${'reading'}      | ${'reading_rest'} | ${'reading_rest'} | ${'throws'} | ${'throws'} | ${'throws'}
    ${'renewed'}              | ${'reading'}  | ${'read'}         | ${'reading_rest'} | ${'rest_read'}    | ${'throws'} | ${'throws'} | ${'throws'}
    ${'renewed, some joined'} | ${'reading'}  | ${'reading'}      | ${'reading_rest'} | ${'reading_rest'} | ${'throws'} | ${'throws'} | ${'throws'}
    ${'lost'}                 | ${'lost'}     | ${'lost'}         | ${'lost'}         | ${'lost'}         | ${'throws'} | ${'throws'} | ${'throws'}
    ${'cleared'}              | ${'throws'}   | ${'throws'}       | ${'throws'}       | ${'cleared'}      | ${'throws'} | ${'throws'} | ${'throws'}
    ${'released'}             | ${'released'} | ${'released'}     | ${'released'}     | ${'released'}     | ${'throws'} | ${'throws'} | ${'lost'}
  `('$step', ({ step, ...expected }: { step: string } & Record<DrainState, DrainState | 'throws'>) => {
    for (const [from, to] of Object.entries(expected) as [DrainState, DrainState | 'throws'][]) {
      const progress = IN_STATE[from]();
      expect(progress.state).toBe(from);
      if (to === 'throws') expect(() => STEPS[step]!(progress), from).toThrow();
      else STEPS[step]!(progress);
      expect(progress.state, from).toBe(to === 'throws' ? from : to);
    }
  });

  test.each(Object.keys(DRAIN_TRANSITIONS) as DrainState[])('what %s means', (state) => {
    const { isOurs, isBehind, isReading, behindSince } = IN_STATE[state]();
    expect(isOurs).toBe(!['cleared', 'released', 'lost'].includes(state));
    expect(isBehind).toBe(['reading', 'read'].includes(state));
    expect(isReading).toBe(['reading', 'reading_rest'].includes(state));
    if (isOurs) expect(behindSince !== null).toBe(isBehind);
  });

  test('an endpoint that has caught up already is read for the rest', () => {
    expect(new DrainProgress({ until: 1_000, behindSince: null, waitingFrom: 10n }).state).toBe('reading_rest');
  });
});

describe('the place', () => {
  test('is behind the last page, or at an earlier event that waits', () => {
    const progress = behind();
    expect(progress).toMatchObject({ next: 10n, isSparse: false });
    progress.pageRead({ next: 14n, isLast: false, isSparse: true });
    expect(progress).toMatchObject({ next: 14n, isSparse: true });
    progress.goBackTo(12n);
    progress.goBackTo(13n);
    expect(progress.next).toBe(12n);
  });

  test.each`
    written      | kept     | lease                              | next
    ${15n}       | ${true}  | ${{ until: 2_000, seenFrom: 15n }} | ${20n}
    ${16n}       | ${true}  | ${{ until: 2_000, seenFrom: 16n }} | ${20n}
    ${12n}       | ${false} | ${{ until: 2_000, seenFrom: 12n }} | ${12n}
    ${undefined} | ${false} | ${{ until: 1_000, seenFrom: 10n }} | ${20n}
  `('a lease that is written with $written is kept: $kept', ({ written, kept, lease, next }) => {
    const progress = IN_STATE.read();
    expect(progress.leaseWritten(LEASE, written)).toBe(kept);
    expect(progress).toMatchObject({ lease, next });
  });
});
