/** Asks the rails pool to make, publish and read files: one job a rail and round. */
import type { Sweep, SweepContext } from '../../group/group.ts';

/** A round of files may take minutes: a queue has its job once for so long. */
const NAMED_MS = 30_000;

export function sweepFiles({ rails, clock, ...context }: SweepContext): readonly Sweep[] {
  return rails.files().map(({ name }) => ({
    name: `files of ${name}`,
    async round() {
      await context.enqueue([{ job: 'rail.files', bookId: '', ids: [name] }], {
        pool: 'rails',
        namedMs: NAMED_MS,
        now: clock.now(),
      });
      return 1;
    },
  }));
}
