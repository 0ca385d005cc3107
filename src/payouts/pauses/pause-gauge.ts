import type { Gauge } from '../../group/group.ts';
import { listPauses } from './pause-store.ts';

export const pauseGauge: Gauge = {
  name: 'countinghouse_payouts_paused',
  help: 'Pauses of payouts by an operator, by what they keep back.',
  label: 'scope',
  async read(pool) {
    const counts = new Map<string, number>();
    for (const { scope } of await listPauses(pool)) counts.set(scope, (counts.get(scope) ?? 0) + 1);
    return [...counts].map(([label, value]) => ({ label, value }));
  },
};
