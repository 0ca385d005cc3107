/** Gauges of what rails leave to people: payouts of unknown outcome, exceptions, notices about foreign books. */
import { Gauge, type Registry } from 'prom-client';
import type { Pool } from './db/pool.ts';
import { countForeignNotices, countOpenExceptions, countUnknown } from './operations/backlog-store.ts';

export function createRailGauges(registers: Registry[]) {
  const unknown = new Gauge({
    name: 'countinghouse_payouts_unknown',
    help: 'Payouts whose outcome at their rail nobody knows. Counted up to 10,000.',
    labelNames: ['rail'],
    registers,
  });
  const openExceptions = new Gauge({
    name: 'countinghouse_exceptions_open',
    help: 'What a person must look at (npm run ops -- exceptions list). The newest 10,000 are counted.',
    labelNames: ['kind'],
    registers,
  });
  const foreign = new Gauge({
    name: 'countinghouse_rail_notices_foreign',
    help: 'Notices of rails about books that are not ours, kept and not booked. Counted up to 10,000.',
    registers,
  });

  return {
    async read(pool: Pool): Promise<void> {
      const [rails, kinds, notOurs] = await Promise.all([
        countUnknown(pool),
        countOpenExceptions(pool),
        countForeignNotices(pool),
      ]);
      // A rail or kind without rows must not keep its last value.
      unknown.reset();
      openExceptions.reset();
      for (const { rail, payouts } of rails) unknown.set({ rail }, payouts);
      for (const { kind, exceptions } of kinds) openExceptions.set({ kind }, exceptions);
      foreign.set(notOurs);
    },

    /** A stale value is worse than none. */
    remove(): void {
      for (const gauge of [unknown, openExceptions]) gauge.reset();
      foreign.remove();
    },
  };
}
