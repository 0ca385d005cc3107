import { withinLimit } from '../time-limit.ts';
import { AcquirerUnreachable } from './acquirer.ts';

/** Any failure of a call to the sandbox acquirer means that the outcome is unknown: throws AcquirerUnreachable. */
export async function reachSandbox<Answer>(call: string, work: Promise<Answer>, limitMs: number): Promise<Answer> {
  try {
    return await withinLimit(work, { what: `The sandbox acquirer (${call})`, limitMs });
  } catch (error) {
    throw new AcquirerUnreachable(`The sandbox acquirer gave no answer (${call})`, { cause: error });
  }
}
