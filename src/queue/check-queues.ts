/** The queues as a process starts: whether they may carry its jobs, and whether they can. */
import type { Logger } from '../process/log.ts';
import { withinLimit } from '../process/time-limit.ts';
import { EvictionPolicyError } from './memory-policy.ts';
import type { QueueBackend } from './queue-backend.ts';
import { QueueUnfit, tryQueue } from './try-queue.ts';

const CLOSE_LIMIT_MS = 2_000;

export interface CheckOptions {
  /** Whose the queues are to be. */
  readonly installation: string;
  readonly backend: QueueBackend;
  /** Rejects when the datastore does not answer in time, or is not configured for jobs. */
  readonly answers: () => Promise<void>;
  /** A backend of its own for the trial: what it opens is closed with it. */
  readonly openTrial: () => QueueBackend;
  readonly log: Logger;
}

/** Throws EvictionPolicyError and QueueUnfit. A datastore that is away is logged, and checked once it answers. */
export async function checkQueues({ installation, backend, answers, openTrial, log }: CheckOptions): Promise<void> {
  const isAway = () =>
    answers().then(
      () => false,
      () => true,
    );
  try {
    await answers();
  } catch (error) {
    judge(error, true);
    // The backend knows from here on whose names to check once the datastore answers. It was logged that it is away.
    await backend.claim(installation).catch((later) => refuse(later, true));
    return;
  }
  try {
    await backend.claim(installation);
    await trial(openTrial());
  } catch (error) {
    judge(error, await isAway());
  }

  function refuse(error: unknown, away: boolean): void {
    if (error instanceof EvictionPolicyError || error instanceof QueueUnfit) throw error;
    if (isRefusal(error) || !away) throw unfit(backend.kind, error);
  }

  function judge(error: unknown, away: boolean): void {
    refuse(error, away);
    log.error({ err: error }, 'the queues do not answer; what is accepted waits in Postgres until they do');
  }
}

async function trial(backend: QueueBackend): Promise<void> {
  try {
    await tryQueue(backend);
  } finally {
    await withinLimit(backend.close(), { what: 'closing the trial', limitMs: CLOSE_LIMIT_MS }).catch(() => undefined);
  }
}

/** Redis has answered, and refuses the command for good: the user of REDIS_URL may not run it. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && /\b(NOPERM|NOAUTH|WRONGPASS)\b/.test(error.message);
}

const REMEDIES = {
  redis:
    'The user of REDIS_URL may run every command on its keys (ACL SETUSER … ~countinghouse:* &* +@all), EVAL and INFO too.',
  postgres:
    'QUEUE_DATABASE_URL, or DATABASE_URL without it, is a direct connection to the database of `npm run migrate`, not through a pooler.',
};

function unfit(kind: QueueBackend['kind'], error: unknown): QueueUnfit {
  const { message } = error as Error;
  return new QueueUnfit(
    `The job queues do not work: a job that was added did not come out. ${message}\n${REMEDIES[kind]}`,
  );
}
