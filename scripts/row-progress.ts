/** Progress of a long read or upload: a bar on a terminal, a line now and then elsewhere. On standard error. */
import { SingleBar } from 'cli-progress';

/** Between two lines of progress where there is no terminal. */
const LINE_EVERY_MS = 5_000;

export interface RowProgress {
  show(progress: { total: bigint; done: bigint; what: string }): void;
  /** Clears the bar, to make room for a line of output. */
  clear(): void;
  end(): void;
}

export function rowProgress(unit: 'rows' | 'bytes' = 'rows'): RowProgress {
  return process.stderr.isTTY ? bar() : lines(unit);
}

function bar(): RowProgress {
  const single = new SingleBar({
    format: '{bar} {percentage}% | {what}',
    stream: process.stderr,
    hideCursor: true,
    emptyOnZero: true,
  });
  let started = false;
  return {
    show({ total, done, what }) {
      if (!started) single.start(Number(total), 0, { what });
      started = true;
      single.setTotal(Number(total));
      // The database goes on meanwhile: there may be more rows than were counted.
      single.update(Math.min(Number(done), Number(total)), { what });
    },
    clear: () => void (started && process.stderr.write('\r\u001b[K')),
    end: () => single.stop(),
  };
}

function lines(unit: string): RowProgress {
  let last = performance.now();
  return {
    show({ total, done, what }) {
      if (performance.now() - last < LINE_EVERY_MS) return;
      last = performance.now();
      console.error(`${done} of ${total} ${unit}; now the ${what}`);
    },
    clear: () => undefined,
    end: () => undefined,
  };
}
