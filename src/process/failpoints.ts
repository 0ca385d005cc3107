/**
 * Points at which a process can be killed or stopped, so that every run of the tests meets faults that chance brings
 * once a year. A point is armed only when COUNTINGHOUSE_FAILPOINTS names it as the process starts. A call then costs a
 * look into a small map, otherwise a comparison.
 *
 * `rail.submit.before=stop,ledger.commit.after=kill@3`: stops at the first submission to a rail, dies at the third
 * commit.
 */
import { writeSync } from 'node:fs';

/** Every failpoint: its place, and what a kill there leaves behind. */
export const FAILPOINTS = [
  /** A batch is decided; neither its writes nor COMMIT are sent. Nothing of the batch may remain. */
  'ledger.commit.before',
  /** The same, for a batch of several books: all of them are locked. */
  'ledger.shared.before',
  /** A batch is committed; neither the caller nor a queue knows. */
  'ledger.commit.after',
  /** Rows wait, and no job is enqueued for them. */
  'jobs.enqueue.before',
  /** The queue has the job, and the process that enqueued it does not know. */
  'jobs.enqueue.after',
  /** A payout is reserved, and the rail knows nothing of it. */
  'rail.submit.before',
  /** The rail has paid, and its answer is not recorded. */
  'rail.submit.after',
  'rail.inquire.before',
  'rail.inquire.after',
  /** An operation of a payment is recorded, and the acquirer knows nothing of it. */
  'acquirer.submit.before',
  /** The acquirer has carried it out, and its answer is not recorded. */
  'acquirer.submit.after',
  'acquirer.inquire.before',
  'acquirer.inquire.after',
  /** Nobody passed a challenge: the authorization is about to be ended at the acquirer. */
  'acquirer.cancel.before',
  'acquirer.cancel.after',
  /** A file of a folder is taken, and stands in the folder still. */
  'reconciliation.file.taken',
  /** A card is ordered, and the processor knows nothing of it. */
  'processor.submit.before',
  /** The processor has carried out the instruction, and its answer is not recorded. */
  'processor.submit.after',
  /** Nobody knows what became of an order, or a notice of it has no card: the processor is about to be asked. */
  'processor.inquire.before',
  /** It has answered, and its answer is not recorded. */
  'processor.inquire.after',
  /** An integrator's endpoint is about to be asked: no funds are reserved yet, and the message is not recorded. */
  'endpoint.ask.before',
  /** The endpoint has answered, and nothing is decided: whoever sent the message sends it again. */
  'endpoint.ask.after',
  /** An event is not yet sent. */
  'webhook.post.before',
  /** The receiver has the event, and no attempt is recorded. */
  'webhook.post.after',
  /** The same, with the result about to be recorded. */
  'delivery.record.before',
  /** The result is recorded, and the job is still open. */
  'delivery.record.after',
  /** A rail's notices are in the inbox; they are not acknowledged, and their jobs may be lost. */
  'notice.copy.after',
  /** A notice is booked, and its row in the inbox still waits. */
  'notice.book.after',
  /** All deliveries that waited for an endpoint are read, and new ones still join its backlog. */
  'backlog.catch-up.before',
  /** New deliveries have their own due time, and the last ones that joined the backlog are not looked for yet. */
  'backlog.catch-up.after',
  /** A rail's notices are booked and not acknowledged: the rail reports them again. */
  'rail.acknowledge.before',
  'rail.acknowledge.after',
  /** A file for a bank is made, and nothing of it is written. */
  'bank.file.made',
  /** This attempt's copy is written and synced, and no commit names it. */
  'bank.file.synced',
  /** The copy is the file, and sent/ does not have it. */
  'bank.file.staged',
  /** The file is in sent/, and not in the outbox. */
  'bank.file.linked',
  /** The bank can take it, and no commit records it. */
  'bank.file.renamed',
  /** The lines of a bank's file are taken, and it still is in the inbox. */
  'bank.inbox.taken',
  /** A page of an upload is kept, and no batch names it. */
  'payout_batch.page.kept',
  /** Items of a batch are read, and no command makes payouts of them yet. */
  'payout_batch.items.read',
  /** Items of a batch are payouts, and no process goes on with the next ones. */
  'payout_batch.payouts.made',
  /** A bank's file that came by API is kept, and no run names it. */
  'reconciliation.file.kept',
  /** A run's file is whole, and nothing of it is posted by this process. */
  'reconciliation.checked',
  /** A statement of a file is taken, and the next one is not read. */
  'reconciliation.statement.taken',
  /** Lines are matched, and the run does not state it. */
  'reconciliation.matched',
  /** Lines of a pool are read, and not booked in the operator's book. */
  'mirror.lines.read',
  /** The operator's book has them, and the next ones are not read. */
  'mirror.lines.booked',
  /** Days of fees are begun, and the job is still open. */
  'fee.days.begun',
  /** The fees of a day are about to be collected. */
  'fee.collect.before',
  /** They are collected, and nothing follows yet. */
  'fee.collect.after',
  /** A block of entries is about to be added to the totals behind the journal. */
  'totals.block.before',
  /** The block is there, and nobody folds the next one yet. */
  'totals.block.after',
  /** Pages of a report are kept, and the next ones are not written. */
  'report.page.kept',
  /** The file of a report is whole, and no commit records it. */
  'report.file.ended',
  /** The days of a close are verified, and no commit ends it. */
  'period.verified',
  /** Rows are due and not yet postponed. */
  'sweeper.postpone.before',
  /** Rows are postponed, and no job is enqueued for them. */
  'sweeper.postpone.after',
  'sweeper.enqueue.after',
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];

/** SIGKILL cannot be caught. SIGSTOP is a machine that hangs until SIGCONT. */
const SIGNALS = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const;

interface Trap {
  readonly signal: (typeof SIGNALS)[keyof typeof SIGNALS];
  /** Hits until the failpoint fires; it fires once. */
  left: number;
}

const FORM = /^([a-z_.-]+)=(kill|stop)(?:@([1-9]\d{0,8}))?$/;

/** Throws Error naming a part of the text that cannot be read: a failpoint that is not set proves nothing. */
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
