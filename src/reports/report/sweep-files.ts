/** Sweeps files of reports whose time is over. What is shown of the report stays. */
import type { Sweep, SweepContext } from '../../group/group.ts';
import { dropFile, findExpired } from './report-file-store.ts';

/** A file may have a thousand pieces of a megabyte. */
const FILES = 20;

export function sweepReportFiles({ pool, clock, isClosing }: SweepContext): Sweep[] {
  /** One page; resolves to how many were dropped. */
  async function round(): Promise<number> {
    let dropped = 0;
    for (const place of await findExpired(pool, { now: clock.now(), limit: FILES })) {
      if (isClosing()) break;
      dropped += await dropFile(pool, place);
    }
    return dropped;
  }
  return [{ name: 'files of reports', round }];
}
