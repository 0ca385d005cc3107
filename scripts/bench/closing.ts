/** Closes in reverse order what was started, whatever happens: at the end, after a failure, and on Ctrl-C. */
import { say } from '../harness/progress.ts';

export interface Closing {
  add(name: string, close: () => Promise<unknown>): void;
  closeAll(): Promise<void>;
}

/** Parts that close by themselves, or with the whole that they belong to. */
export function closingWithin(whole: Closing, name: string): Closing {
  const part = createParts();
  whole.add(name, part.closeAll);
  return part;
}

/** Limit for one part; then the next one is closed. */
const LIMIT_MS = 45_000;

export function createClosing(): Closing {
  const whole = createParts();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      whole.closeAll().finally(() => process.exit(130));
    });
  }
  return whole;
}

function createParts(): Closing {
  const parts: { name: string; close: () => Promise<unknown> }[] = [];
  let closing: Promise<void> | undefined;

  async function closeInTurn(): Promise<void> {
    for (let part = parts.pop(); part; part = parts.pop()) {
      const { name, close } = part;
      try {
        await Promise.race([close(), overdue(name)]);
      } catch (error) {
        say(`${name} did not close: ${(error as Error).message}`);
      }
    }
  }

  const closeAll = () => {
    closing ??= closeInTurn().finally(() => {
      closing = undefined;
    });
    return closing;
  };
  return { add: (name, close) => void parts.push({ name, close }), closeAll };
}

function overdue(name: string): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${name} took more than ${LIMIT_MS / 1000} s`)), LIMIT_MS).unref();
  });
}
