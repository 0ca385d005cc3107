/**
 * Checks that what a capture earned went into the shares that its release schedule names, and stands in them: the days, the reserve, and
 * whether it waits for its acquirer. The writer and this check share the arithmetic of a schedule (its unit tests hold that), not its
 * result. What refunds and disputes took of a share is theirs, and only lowers what stands there.
 */
import { dayOf } from '../../../calendar/day.ts';
import type { ReleaseSchedule } from '../../../calendar/release-schedule.ts';
import { scheduleOfText } from '../../../calendar/schedule-text.ts';
import type { CheckContext } from '../../../group/check-context.ts';
import { publicId } from '../../../values/ids.ts';
import type { PaymentOperation } from '../../operations/payment-operation.ts';
import { type EarnedPart, earnedParts } from '../../shares/earn-share.ts';
import type { PaymentHistory, PutLine, ShareRead } from './payment-check-store.ts';

/** An amount in a share. Without a share: it does not exist. */
interface Placed {
  readonly share: ShareRead | undefined;
  readonly amount: bigint;
}

export function checkCapturedShares(context: CheckContext, history: PaymentHistory, capture: PaymentOperation): void {
  const { id, amount, fee, releaseSchedule } = capture;
  if (releaseSchedule === null) return;
  const report = (found: { expected: string; actual: string; detail: string }) =>
    context.report({ check: 'payment_share.schedule', ids: { capture: publicId('capture', id) }, ...found });
  const schedule = scheduleOfText(releaseSchedule);
  if (schedule === undefined) {
    const detail = 'The release schedule of the capture cannot be read.';
    report({ expected: 'a release schedule', actual: releaseSchedule, detail });
    return;
  }
  // Without an entry it has no time: other checks report it.
  const entry = history.steps.get(id)?.find(({ step }) => step === 'captured');
  if (!entry || fee > amount) return;
  const { timeZone } = history;
  const parts = earnedParts(schedule, { earned: amount - fee, at: entry.postedAt, timeZone });
  const { put, moved } = linesOf(history, capture, schedule);
  const expected = shown(parts.map((part) => ({ share: { ...part, kind: kindOf(schedule) }, amount: part.amount })));
  if (shown(put) !== expected)
    report({
      ...{ expected, actual: shown(put) },
      detail: 'What the capture earned was put into other shares than its release schedule names.',
    });
  const paidOn = capture.settledAt === null ? null : dayOf(capture.settledAt, timeZone);
  const released = schedule.onceSettled ? paidOn : null;
  const left = placedIn(
    history,
    capture.portions.flatMap(({ shareId, amount: each }) => (shareId === null ? [] : [{ shareId, amount: each }])),
  );
  for (const [what, placed] of [
    ['What moved as the acquirer paid the capture', moved],
    ['What is left of the capture', left],
  ] as const)
    if (!standsWithin(placed, parts, released))
      report({
        ...{ expected: `at most ${expected}`, actual: shown(placed) },
        detail: `${what} stands in other shares than its release schedule names, or too little of it in its reserve.`,
      });
}

/** What it earned, and what moved on from there: a waiting share gives to ready ones alone, and a ready one keeps what it has. */
function linesOf(history: PaymentHistory, { id }: PaymentOperation, { onceSettled }: ReleaseSchedule) {
  const lines = placedIn(history, history.put.get(id) ?? []);
  const moved = onceSettled ? lines.filter(({ share }) => share?.kind === 'ready') : [];
  return { put: lines.filter((line) => !moved.includes(line)), moved };
}

function placedIn({ shares }: PaymentHistory, lines: readonly PutLine[]): Placed[] {
  return lines.map(({ shareId, amount }) => ({ share: shares.get(shareId), amount }));
}

/**
 * Whether each stands on a day of the parts, as a reserve where that is one, and no part has more than was earned for it. `released` is the
 * day on which the acquirer paid what waited for it: parts whose day is over by then are released together on that day.
 */
function standsWithin(placed: readonly Placed[], parts: readonly EarnedPart[], released: string | null): boolean {
  const [ordinary, reserve] = parts;
  const isPart = ({ availableOn, isReserve }: ShareRead) =>
    parts.some((part) => part.availableOn === availableOn && part.isReserve === isReserve);
  const isReleased = ({ availableOn, isReserve }: ShareRead) =>
    !isReserve && availableOn === released && released >= ordinary!.availableOn;
  if (!placed.every(({ share }) => share !== undefined && (isPart(share) || isReleased(share)))) return false;
  const sumWhere = (isMeant: (share: ShareRead) => boolean) =>
    placed.reduce((sum, { share, amount }) => (isMeant(share!) ? sum + amount : sum), 0n);
  if (reserve === undefined) return sumWhere(() => true) <= ordinary!.amount;
  return (
    sumWhere(({ isReserve }) => isReserve) <= reserve.amount &&
    sumWhere(({ isReserve, availableOn }) => !isReserve && availableOn < reserve.availableOn) <= ordinary!.amount
  );
}

const kindOf = ({ onceSettled }: ReleaseSchedule) => (onceSettled ? 'waiting' : 'ready');

/** By share: `8766 on 2031-05-04, ready; 974 on 2031-07-31 (reserve), ready`. */
function shown(placed: readonly Placed[]): string {
  const sums = new Map<string, bigint>();
  for (const { share, amount } of placed) {
    const reserve = share?.isReserve ? ' (reserve)' : '';
    const where = share === undefined ? 'in no share' : `${share.availableOn}${reserve}, ${share.kind}`;
    sums.set(where, (sums.get(where) ?? 0n) + amount);
  }
  const held = [...sums].filter(([, amount]) => amount !== 0n).sort(([one], [other]) => (one < other ? -1 : 1));
  return held.map(([where, amount]) => `${amount} on ${where}`).join('; ') || 'nothing';
}
