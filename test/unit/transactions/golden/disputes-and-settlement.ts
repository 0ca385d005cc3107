/** Golden scenarios, section G and H: disputes, and what the scheme settles. */
import { authorization, clearing, refund } from '../messages.ts';
import type { Scenario } from './scenario.ts';

export const DISPUTES_AND_SETTLEMENT: readonly Scenario[] = [
  {
    name: 'G82 dispute won after a partial refund',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [clearing(10_000n), 'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 10000 | –'],
      [refund(3_000n), 'posted | 0 | 0 | 93000 | 93000 | settled | 10000/1 | S→C 3000 | –'],
      [{ opens: 7_001n }, '422 amount_above_maximum, limit 7000 | 0 | 0 | 93000 | 93000 | settled | 10000/1 | – | –'],
      [{ opens: 7_000n }, 'opened | 0 | 0 | 93000 | 93000 | settled | 10000/1 | – | –'],
      [{ ends: 'submitted' }, 'submitted | 0 | 0 | 100000 | 100000 | settled | 10000/1 | S→C 7000 | –'],
      [{ ends: 'won' }, 'won | 0 | 0 | 100000 | 100000 | settled | 10000/1 | – | –'],
    ],
  },
  {
    name: 'G83 refund while the dispute is submitted',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [clearing(10_000n), 'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 10000 | –'],
      [{ disputes: 10_000n }, 'submitted | 0 | 0 | 100000 | 100000 | settled | 10000/1 | S→C 10000 | –'],
      [refund(4_000n), 'posted | 0 | 0 | 100000 | 100000 | settled | 10000/1 | S→C 4000; C→S 4000 | –'],
      [{ ends: 'lost' }, 'lost | 0 | 0 | 94000 | 94000 | settled | 10000/1 | C→S 6000 | –'],
    ],
  },
  {
    name: 'G84 refund that leaves the dispute alone',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [clearing(10_000n), 'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 10000 | –'],
      [{ disputes: 5_000n }, 'submitted | 0 | 0 | 95000 | 95000 | settled | 10000/1 | S→C 5000 | –'],
      [refund(4_000n), 'posted | 0 | 0 | 99000 | 99000 | settled | 10000/1 | S→C 4000 | –'],
      [{ ends: 'won' }, 'won | 0 | 0 | 99000 | 99000 | settled | 10000/1 | – | –'],
    ],
  },
  {
    name: 'G85 dispute lost after the credit was spent',
    start: { account: { posted: 10_000n } },
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 10000 | 0 | pending | 10000/1 | – | –'],
      [clearing(10_000n), 'posted | 0 | 0 | 0 | 0 | settled | 10000/1 | C→S 10000 | –'],
      [{ disputes: 10_000n }, 'submitted | 0 | 0 | 10000 | 10000 | settled | 10000/1 | S→C 10000 | –'],
      [
        { says: authorization(10_000n), of: 'second' },
        'approved 10000, 00 | 10000 | 0 | 10000 | 0 | pending | 10000/1 | – | –',
      ],
      [{ says: clearing(10_000n), of: 'second' }, 'posted | 0 | 0 | 0 | 0 | settled | 10000/1 | C→S 10000 | –'],
      [{ ends: 'lost' }, 'lost | 0 | 0 | -10000 | -10000 | settled | 10000/1 | C→S 10000 | below_floor'],
    ],
  },
  {
    name: 'G86 dispute withdrawn',
    rows: [
      [authorization(2_500n), 'approved 2500, 00 | 2500 | 0 | 100000 | 97500 | pending | 2500/1 | – | –'],
      [clearing(2_500n), 'posted | 0 | 0 | 97500 | 97500 | settled | 2500/1 | C→S 2500 | –'],
      [{ disputes: 2_500n }, 'submitted | 0 | 0 | 100000 | 100000 | settled | 2500/1 | S→C 2500 | –'],
      [{ ends: 'withdrawn' }, 'withdrawn | 0 | 0 | 97500 | 97500 | settled | 2500/1 | C→S 2500 | –'],
    ],
  },
  {
    name: 'G92 the scheme settles net',
    rows: [
      [authorization(40_000n), 'approved 40000, 00 | 40000 | 0 | 100000 | 60000 | pending | 40000/1 | – | –'],
      [clearing(40_000n), 'posted | 0 | 0 | 60000 | 60000 | settled | 40000/1 | C→S 40000 | –'],
      [refund(10_000n), 'posted | 0 | 0 | 70000 | 70000 | settled | 40000/1 | S→C 10000 | –'],
      [{ disputes: 5_000n }, 'submitted | 0 | 0 | 75000 | 75000 | settled | 40000/1 | S→C 5000 | –'],
      [{ settles: true }, 'net 25000 | 0 | 0 | 75000 | 75000 | settled | 40000/1 | S→P 25000 | –'],
    ],
  },
];
