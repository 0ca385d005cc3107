/**
 * Optimistic concurrency: a command is prepared from rows that are read outside of its commit, and its decision compares them
 * with the rows under the book's lock. Where they differ it throws StaleRead and changes nothing, and the command is prepared
 * again from the start. A caller sees the last attempt only.
 */
import { ApiError } from '../../errors/errors.ts';

/** Rows that a command was prepared from have changed since. Transient: a job that meets it is carried out again. */
export class StaleRead extends ApiError {
  constructor(detail: string) {
    super('service_unavailable', { detail, headers: { 'Retry-After': '1' } });
  }
}

/** One or two reads are stale in a row; more only where another client changes the same object without a pause. */
const ATTEMPTS_MAX = 10;

/** `attempt` reads and commits. It is carried out again while it throws StaleRead, up to ten times in all. */
export async function retryStaleReads<Answer>(attempt: () => Promise<Answer>): Promise<Answer> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StaleRead) || attempts === ATTEMPTS_MAX) throw error;
    }
  }
}
