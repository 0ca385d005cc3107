/** Waits for a condition. */

export interface WaitLimit {
  timeoutMs?: number;
}

/** Poll interval. No test waits noticeably longer than it must, and the machine is left to the product. */
const LOOK_EVERY_MS = 20;

/**
 * Polls until the value is as wanted, and resolves to it. After the time limit, throws an error with the last value.
 */
export async function until<Value>(
  look: () => Promise<Value> | Value,
  isWanted: (value: Value) => boolean = Boolean,
  { timeoutMs = 25_000 }: WaitLimit = {},
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
