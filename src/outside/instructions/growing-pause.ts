/** The pause before the next attempt or inquiry, while the outcome stays unknown. */
import type { Uuid } from '../../values/ids.ts';

const LONGEST_PAUSE_MS = 24 * 60 * 60_000;

/** The longest pauses are shortened by up to this fraction, so that rows that began together are not retried together. */
const SPREAD = 0.1;

/**
 * The steps in their order; then each pause is twice the previous one, up to a day. Beyond the steps a pause depends on
 * the row's id too: the same on every retry. Milliseconds; any count of attempts is safe.
 */
export function growingPauseMs(stepsMs: readonly number[], attempts: number, id: Uuid): number {
  if (attempts < stepsMs.length) return stepsMs[attempts]!;
  const doubled = Math.min(stepsMs.at(-1)! * 2 ** (attempts - stepsMs.length + 1), LONGEST_PAUSE_MS);
  const fraction = Number.parseInt(id.slice(-4), 16) / 0xffff;
  return Math.round(doubled * (1 - SPREAD * fraction));
}
