/**
 * Tries the queues from end to end, as a process starts: a job goes in and comes out. Requests are accepted into Postgres
 * whatever the queues do, so queues that can never work would take money that nobody moves.
 */
import { randomInt } from 'node:crypto';
import { withinLimit } from '../process/time-limit.ts';
import type { QueueBackend } from './queue-backend.ts';

/** The queues cannot carry this installation's jobs, or must not. The message explains what to do. */
export class QueueUnfit extends Error {
  override name = 'QueueUnfit';
}

/** For what hangs: a job comes out within milliseconds. */
const TRIAL_LIMIT_MS = 60_000;
/** BullMQ closes without a limit. */
const CLOSE_LIMIT_MS = 2_000;
const LARGEST_NUMBER = 2 ** 31;

/**
 * Adds a job to a queue of its own and waits until it comes out. Rejects with the error of whoever refused, else with
 * TimeLimitExceeded.
 */
export async function tryQueue(backend: QueueBackend): Promise<void> {
  // Named like a queue of a pool: contract.ts recognizes the connection that listens by its name.
  const name = `{trial-${randomInt(LARGEST_NUMBER)}}`;
  const queue = backend.openQueue(name);
  let refusal: Error | undefined;
  const note = (error: Error) => {
    refusal ??= error;
  };
  queue.on('error', note);
  let arrive: () => void;
  const cameOut = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const worker = backend.openWorker(name, async () => arrive(), { concurrency: 1 });
  worker.on('error', note);
  const added = queue.waitUntilReady().then(() => queue.add('trial', {}, backend.jobOptions(undefined)));
  try {
    const limit = { what: 'A job that was added to try the queues', limitMs: TRIAL_LIMIT_MS };
    await withinLimit(
      added.then(() => cameOut),
      limit,
    );
    await queue.obliterate({ force: true }).catch(note);
  } catch (error) {
    throw refusal ?? error;
  } finally {
    const closed = Promise.allSettled([worker.close(true), queue.close()]);
    await withinLimit(closed, { what: 'closing the trial', limitMs: CLOSE_LIMIT_MS }).catch(() => undefined);
  }
}
