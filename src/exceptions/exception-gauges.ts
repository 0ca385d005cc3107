/** Gauges of what a person must look at. */
import type { Gauge } from '../group.ts';
import { countOpenExceptions } from './open-exceptions-store.ts';

export const exceptionGauges: readonly Gauge[] = [
  {
    name: 'countinghouse_exceptions_open',
    help: 'What a person must look at (npm run ops -- exceptions list). The newest 10,000 are counted.',
    label: 'kind',
    read: async (pool) =>
      (await countOpenExceptions(pool)).map(({ kind, exceptions }) => ({ label: kind, value: exceptions })),
  },
];
