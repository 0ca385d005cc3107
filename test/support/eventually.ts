/** Waits until a check passes. */
import { vi } from 'vitest';
import { LOOK_EVERY_MS, PATIENCE_MS } from '../../scripts/harness/until.ts';

/** Repeats the check until it passes, and resolves to what it gives. After the limit of all waits, throws what the check threw last. */
export function eventually<Value>(check: () => Promise<Value> | Value): Promise<Value> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS });
}
