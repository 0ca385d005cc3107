/** Waits for a condition. */

export interface WaitLimit {
  timeoutMs?: number;
}

/** Poll interval. No test waits noticeably longer than it must, and the machine is left to the product. */
export const LOOK_EVERY_MS = 20;

/**
 * The one limit of all waits. It is for what hangs, never for what is slow: a wait ends when its condition is met, and none needs a
 * twentieth of this on a quiet machine.
 */
export const PATIENCE_MS = 120_000;

/** The same for waits while processes are killed, frozen and cut off: those take up to half a minute on a quiet machine. */
export const FAULT_PATIENCE_MS = 600_000;

/**
 * Polls until the value is as wanted, and resolves to it. After the time limit, throws an error with the last value.
 */
export async function until<Value>(
  look: () => Promise<Value> | Value,
  isWanted: (value: Value) => boolean = Boolean,
  { timeoutMs = PATIENCE_MS }: WaitLimit = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (isWanted(value)) return value;
    if (performance.now() > deadline) {
      throw new Error(`Not as wanted after ${timeoutMs} ms. Last seen: ${JSON.stringify(value, bigintsAsText)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

const bigintsAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
