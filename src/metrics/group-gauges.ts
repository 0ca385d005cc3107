/** The gauges that groups declare, read from Postgres for a scrape. */
import { Gauge, type Registry } from 'prom-client';
import type { Pool } from '../db/pool.ts';
import type { Group } from '../group/group.ts';
import type { Instant } from '../values/clock.ts';

export interface GroupGauges {
  read(pool: Pool, now: Instant): Promise<void>;
  /** Removes the values: a stale value is worse than none. */
  remove(): void;
}

export function createGroupGauges(groups: readonly Group[], registers: Registry[]): GroupGauges {
  const gauges = groups
    .flatMap((group) => group.gauges)
    .map(({ name, help, label, read }) => {
      const labelNames = [label ?? []].flat();
      return { gauge: new Gauge({ name, help, labelNames, registers }), labelNames, read };
    });
  return {
    async read(pool, now) {
      // One after the other: a scrape takes one connection, not one for each gauge.
      for (const { gauge, labelNames, read } of gauges) {
        const values = await read(pool, now);
        // A label without rows must not keep its last value.
        if (labelNames.length > 0) gauge.reset();
        for (const { label, value } of values) {
          const given = [label ?? []].flat();
          gauge.set(Object.fromEntries(labelNames.map((name, at) => [name, given[at] ?? ''])), value);
        }
      }
    },
    remove() {
      for (const { gauge, labelNames } of gauges) {
        if (labelNames.length === 0) gauge.remove();
        else gauge.reset();
      }
    },
  };
}
