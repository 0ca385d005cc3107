/**
 * The shutdown of a process: parts are closed in reverse order of their start, each within a limit. The first Ctrl-C
 * closes in order, a second one ends the process at once.
 */

export interface Shutdown {
  /** Runs the start. A shutdown that begins meanwhile waits for it, so that no part is left half started. */
  start(work: () => Promise<void>): Promise<void>;
  /**
   * Adds a part to close; `name` is for people. Throws StoppedWhileStarting if the shutdown has begun, which then
   * closes it.
   */
  add(name: string, close: () => Promise<unknown>): void;
  /** Adds work that must be done even if a second Ctrl-C ends the process. */
  onForce(work: () => Promise<unknown>): void;
  /** Closes everything and ends the process. */
  run(exitCode: number): Promise<void>;
  readonly running: boolean;
}

/** Ends a start because the shutdown has begun. Not a failure. */
export class StoppedWhileStarting extends Error {
  override name = 'StoppedWhileStarting';
}

const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Longer than any part's own limit (DRAIN_TIMEOUT_MS is 25 s by default, Postgres has 30 s for its checkpoint). */
const PART_LIMIT_MS = 60_000;
const FORCE_LIMIT_MS = 5_000;
/** One Ctrl-C arrives from the terminal and again through npm and tsx. A second Ctrl-C by a person comes later. */
const SAME_SIGNAL_MS = 500;

export function createShutdown(): Shutdown {
  const parts: { name: string; close: () => Promise<unknown> }[] = [];
  const forced: (() => Promise<unknown>)[] = [];
  let starting: Promise<unknown> = Promise.resolve();
  let begun: number | undefined;

  async function run(exitCode: number): Promise<void> {
    if (begun !== undefined) return;
    begun = performance.now();
    let code = exitCode;
    await Promise.race([starting, after(PART_LIMIT_MS)]);
    for (let part = parts.pop(); part; part = parts.pop()) {
      if (!(await closes(part))) code ||= 1;
    }
    process.exit(code);
  }

  async function force(): Promise<void> {
    console.error('Stopping at once.');
    await Promise.race([Promise.allSettled(forced.map((work) => work())), after(FORCE_LIMIT_MS)]);
    process.exit(130);
  }

  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (begun === undefined) {
        console.error('\nStopping: finishing what is in hand. Ctrl-C again stops at once.');
        void run(0);
      } else if (performance.now() - begun > SAME_SIGNAL_MS) {
        void force();
      }
    });
  }
  // The terminal may close before this process ends.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.on('uncaughtException', (error) => {
    console.error(error);
    void run(1);
  });

  return {
    start(work) {
      const started = work();
      starting = started.catch(() => undefined);
      return started;
    },
    add(name, close) {
      parts.push({ name, close });
      if (begun !== undefined) throw new StoppedWhileStarting();
    },
    onForce: (work) => void forced.push(work),
    run,
    get running() {
      return begun !== undefined;
    },
  };
}

async function closes({ name, close }: { name: string; close: () => Promise<unknown> }): Promise<boolean> {
  try {
    const outcome = await Promise.race([close().then(() => 'closed'), after(PART_LIMIT_MS)]);
    if (outcome === 'closed') return true;
    console.error(`${name}: not closed within ${PART_LIMIT_MS / 1_000} s; going on without.`);
  } catch (error) {
    console.error(`${name}: not closed properly:`, error);
  }
  return false;
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref());
}
