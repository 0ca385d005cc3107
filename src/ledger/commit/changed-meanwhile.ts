/**
 * A command is made from a reading outside of its commit. A decision that finds something else there than was read decides nothing:
 * the command is made anew from another reading, and nobody outside hears of it.
 */
import { ApiError } from '../../errors/errors.ts';

/** What a command was made from has changed since. Passes: a job that meets it is carried out again. */
export class ChangedMeanwhile extends ApiError {
  constructor(detail: string) {
    super('service_unavailable', { detail, headers: { 'Retry-After': '1' } });
  }
}

/** A reading is overtaken once or twice; more often only where somebody changes the same object without a pause. */
const READINGS_MAX = 10;

/** Carries `attempt` out again while it throws ChangedMeanwhile, so often at most. */
export async function readingAgain<Answer>(attempt: () => Promise<Answer>): Promise<Answer> {
  for (let reading = 1; ; reading++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || reading === READINGS_MAX) throw error;
    }
  }
}
