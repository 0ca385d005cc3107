/** Gauges of what rails leave to people. */
import type { Gauge } from '../../group/group.ts';
import { countForeignNotices } from '../../outside/notices/foreign-notice-store.ts';
import { countUnknown } from './unresolved-store.ts';

export const payoutGauges: readonly Gauge[] = [
  {
    name: 'countinghouse_payouts_unknown',
    help: 'Payouts whose outcome at their rail nobody knows. Counted up to 10,000.',
    label: 'rail',
    read: async (pool) => (await countUnknown(pool)).map(({ rail, payouts }) => ({ label: rail, value: payouts })),
  },
  {
    name: 'countinghouse_rail_notices_foreign',
    help: 'Notices of rails about books that are not ours, kept and not booked. Counted up to 10,000.',
    read: async (pool) => [{ value: await countForeignNotices(pool) }],
  },
];
