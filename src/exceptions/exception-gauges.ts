/** Gauges of exceptions that wait for a person. */
import type { Gauge } from '../group/group.ts';
import { countOpenExceptions } from './open-exceptions-store.ts';

const HELP = 'What a person must look at (npm run ops -- exceptions list). The newest 10,000 are counted.';

export const exceptionGauges: readonly Gauge[] = [
  {
    name: 'countinghouse_exceptions',
    help: `${HELP} By kind and status; approved ones are not counted.`,
    label: ['kind', 'status'],
    read: async (pool) =>
      (await countOpenExceptions(pool)).map(({ kind, status, exceptions }) => ({
        label: [kind, status],
        value: exceptions,
      })),
  },
  {
    name: 'countinghouse_exceptions_open',
    help: `${HELP} By kind.`,
    label: 'kind',
    async read(pool) {
      const counts = new Map<string, number>();
      for (const { kind, exceptions } of await countOpenExceptions(pool))
        counts.set(kind, (counts.get(kind) ?? 0) + exceptions);
      return [...counts].map(([label, value]) => ({ label, value }));
    },
  },
];
