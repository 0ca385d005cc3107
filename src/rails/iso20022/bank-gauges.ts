/** Gauges of rails that work by files: what keeps them, and what waits. Silence and quarantine are exceptions, which have gauges of their own. */
import type { Gauge } from '../../group/group.ts';
import type { Instant } from '../../values/clock.ts';
import { listOldestOpen, listOldestWaiting, listPaused } from './bank-gauge-store.ts';

const ages = (rows: readonly { rail: string; since: Instant }[], now: Instant) =>
  rows.map(({ rail, since }) => ({ label: rail, value: Math.max(0, (now - since) / 1_000) }));

export const bankGauges: readonly Gauge[] = [
  {
    name: 'countinghouse_bank_rails_paused',
    help: 'Rails for which no file is made until a person has looked (npm run ops -- rails list), by why. 0: none keeps it.',
    label: ['rail', 'kind'],
    read: async (pool) =>
      (await listPaused(pool)).map(({ rail, kind }) => ({
        label: [rail, kind ?? 'none'],
        value: kind === null ? 0 : 1,
      })),
  },
  {
    name: 'countinghouse_bank_waiting_oldest_seconds',
    help: 'How long the first payment of a rail has waited for a file.',
    label: 'rail',
    read: async (pool, now) => ages(await listOldestWaiting(pool), now),
  },
  {
    name: 'countinghouse_bank_file_open_seconds',
    help: 'For how long a file of a rail has been made and not published.',
    label: 'rail',
    read: async (pool, now) => ages(await listOldestOpen(pool), now),
  },
];
