/**
 * Points at which a process can be made to die or to freeze, so that the faults that luck would find once in a year are
 * found by every run of the tests. Nothing is armed unless COUNTINGHOUSE_FAILPOINTS names it when the process starts;
 * then a call costs a look into a small map, and without it a comparison.
 *
 * `rail.submit.before=stop,ledger.commit.after=kill@3`: freezes at the first submission to a rail, dies at the third commit.
 */
import { writeSync } from 'node:fs';

/** Every point there is, where it stands, and what a death there leaves behind. */
export const FAILPOINTS = [
  /** A batch is decided, and neither it nor its COMMIT is on the way: nothing of it may remain. */
  'ledger.commit.before',
  /** Committed, and nobody was told: neither the caller nor a queue. */
  'ledger.commit.after',
  /** Rows wait and no bell has rung for them. */
  'jobs.enqueue.before',
  /** The queue has the bell, and whoever rang does not know it. */
  'jobs.enqueue.after',
  /** Reserved, and the rail knows nothing. */
  'rail.submit.before',
  /** The rail has paid, and we do not know it. */
  'rail.submit.after',
  'rail.inquire.before',
  'rail.inquire.after',
  /** An event has not left. */
  'webhook.post.before',
  /** The receiver has it, and no attempt is recorded. */
  'webhook.post.after',
  /** The same, with its result on the way to the database. */
  'delivery.record.before',
  /** Recorded, and its job is still open. */
  'delivery.record.after',
  /** Notices of a rail are in the inbox, and nobody was told. */
  'notice.copy.after',
  /** A notice is booked, and its row in the inbox still waits. */
  'notice.book.after',
  /** All that waited for an endpoint was read, and new deliveries still join it. */
  'backlog.catch-up.before',
  /** New deliveries are due by themselves, and the last that joined were not looked for. */
  'backlog.catch-up.after',
  /** What the rail told of its own accord is booked, and the rail tells it again. */
  'rail.acknowledge.before',
  'rail.acknowledge.after',
  /** Rows are due, and their alarms as they were. */
  'sweeper.postpone.before',
  /** Alarms are moved, and no bell has rung for them. */
  'sweeper.postpone.after',
  'sweeper.enqueue.after',
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];

/** SIGKILL, which nobody can catch; SIGSTOP, which is a machine that hangs until somebody sends SIGCONT. */
const SIGNALS = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const;

interface Trap {
  readonly signal: (typeof SIGNALS)[keyof typeof SIGNALS];
  /** Hits until it goes off; it goes off once. */
  left: number;
}

const FORM = /^([a-z_.-]+)=(kill|stop)(?:@([1-9]\d{0,8}))?$/;

/** Throws Error naming what cannot be read: a trap that is not set proves nothing. */
export function readFailpoints(text: string): Map<Failpoint, Trap> {
  const traps = new Map<Failpoint, Trap>();
  for (const part of text.split(',').filter(Boolean)) {
    const [, name, action, hit = '1'] = FORM.exec(part.trim()) ?? [];
    if (!FAILPOINTS.includes(name as Failpoint)) {
      throw new Error(
        `COUNTINGHOUSE_FAILPOINTS: ${part} is not NAME=kill, NAME=stop or NAME=kill@3 with a NAME of ${FAILPOINTS.join(' ')}`,
      );
    }
    traps.set(name as Failpoint, { signal: SIGNALS[action as keyof typeof SIGNALS], left: Number(hit) });
  }
  return traps;
}

const armed = process.env.COUNTINGHOUSE_FAILPOINTS ? readFailpoints(process.env.COUNTINGHOUSE_FAILPOINTS) : undefined;

export function failpoint(name: Failpoint): void {
  if (armed !== undefined) hit(armed, name);
}

function hit(traps: Map<Failpoint, Trap>, name: Failpoint): void {
  const trap = traps.get(name);
  if (!trap) return;
  trap.left -= 1;
  if (trap.left !== 0) return;
  // Straight to the descriptor: a logger's buffer dies with the process.
  writeSync(2, `failpoint ${name}: ${trap.signal}\n`);
  process.kill(process.pid, trap.signal);
}
