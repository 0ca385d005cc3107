/** Further rows: refunds, disputes and settlement. Beside the golden scenarios, in their form. */
import {
  advice,
  authorization,
  cash,
  clearing,
  clearingReversal,
  refund,
  refundRequest,
  refundReversal,
  SINGLE,
} from '../messages.ts';
import { CASH_FEE, rowName, type Scenario } from './scenario.ts';

export const FURTHER_CREDITS: readonly Scenario[] = [
  {
    name: 'a refund reversed in part',
    rows: [
      [clearing(10_000n), 'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 10000 | forced'],
      [refund(3_000n), 'posted | 0 | 0 | 93000 | 93000 | settled | 10000/1 | S→C 3000 | –'],
      [refundReversal(rowName(2), 1_000n), 'posted | 0 | 0 | 92000 | 92000 | settled | 10000/1 | C→S 1000 | –'],
    ],
  },
  {
    name: 'the refund first',
    rows: [
      [refund(3_000n), 'posted | 0 | 0 | 103000 | 103000 | settled | 0/0 | S→C 3000 | unmatched'],
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 103000 | 93000 | pending | 10000/1 | – | –'],
      [clearing(10_000n), 'posted | 0 | 0 | 93000 | 93000 | settled | 10000/1 | C→S 10000 | –'],
    ],
  },
  {
    name: 'refunded before it clears',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [
        refund(2_000n),
        'posted | 10000 | 0 | 102000 | 92000 | pending | 10000/1 | S→C 2000 | exception refund_exceeds_cleared',
      ],
      [clearing(10_000n), 'posted | 0 | 0 | 92000 | 92000 | settled | 10000/1 | C→S 10000 | –'],
    ],
  },
  {
    name: 'refunded after its clearing was reversed',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
      [clearingReversal(rowName(2)), 'posted | 0 | 0 | 100000 | 100000 | reversed | 0/0 | S→C 4000 | –'],
      [
        refund(4_000n),
        'posted | 0 | 0 | 104000 | 104000 | settled | 0/0 | S→C 4000 | exception refund_exceeds_cleared',
      ],
    ],
  },
  {
    name: 'a refund requested of a settled purchase',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [clearing(10_000n), 'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 10000 | –'],
      [refundRequest(3_000n), 'approved 3000, 00 | 0 | 0 | 90000 | 90000 | settled | 10000/1 | – | –'],
      [refund(3_000n), 'posted | 0 | 0 | 93000 | 93000 | settled | 10000/1 | S→C 3000 | –'],
    ],
  },
  {
    name: 'a push to a frozen account',
    rows: [
      [{ accountIs: 'frozen' }, 'frozen | 0 | 0 | 100000 | 100000 | declined | 0/0 | – | –'],
      [
        authorization(700n, { kind: 'transfer_in', ...SINGLE }),
        'approved 700, 00 | 0 | 0 | 100700 | 100700 | settled | 0/0 | S→C 700 | account_frozen',
      ],
      [refund(300n), 'posted | 0 | 0 | 101000 | 101000 | settled | 0/0 | S→C 300 | account_frozen'],
    ],
  },
  {
    name: 'a credit that is posted at once takes back what a dispute has credited, as a refund does',
    rows: [
      [clearing(10_000n), 'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 10000 | forced'],
      [{ disputes: 10_000n }, 'submitted | 0 | 0 | 100000 | 100000 | settled | 10000/1 | S→C 10000 | –'],
      [
        authorization(4_000n, { kind: 'refund', ...SINGLE }),
        'approved 4000, 00 | 0 | 0 | 100000 | 100000 | settled | 10000/1 | S→C 4000; C→S 4000 | –',
      ],
      [
        advice('stand_in', 1_000n, { kind: 'refund', ...SINGLE }),
        'recorded | 0 | 0 | 100000 | 100000 | settled | 10000/1 | S→C 1000; C→S 1000 | stand_in',
      ],
      [{ ends: 'lost' }, 'lost | 0 | 0 | 95000 | 95000 | settled | 10000/1 | C→S 5000 | –'],
    ],
  },
  {
    name: 'more is credited at once than stands cleared',
    rows: [
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | forced'],
      [
        authorization(4_500n, { kind: 'refund', ...SINGLE }),
        'approved 4500, 00 | 0 | 0 | 100500 | 100500 | settled | 4000/1 | S→C 4500 | exception refund_exceeds_cleared',
      ],
      [
        advice('stand_in', 100n, { kind: 'transfer_in', ...SINGLE }),
        'recorded | 0 | 0 | 100600 | 100600 | settled | 4000/1 | S→C 100 | stand_in; exception refund_exceeds_cleared',
      ],
    ],
  },
  {
    name: 'a dispute of a part that cleared',
    rows: [
      [authorization(12_000n), 'approved 12000, 00 | 12000 | 0 | 100000 | 88000 | pending | 12000/1 | – | –'],
      [clearing(5_000n, { isFinal: false }), 'posted | 7000 | 0 | 95000 | 88000 | pending | 12000/1 | C→S 5000 | –'],
      [
        { opens: 5_001n },
        '422 amount_above_maximum, limit 5000 | 7000 | 0 | 95000 | 88000 | pending | 12000/1 | – | –',
      ],
      [{ disputes: 5_000n }, 'submitted | 7000 | 0 | 100000 | 93000 | pending | 12000/1 | S→C 5000 | –'],
      [clearing(7_000n), 'posted | 0 | 0 | 93000 | 93000 | settled | 12000/1 | C→S 7000 | –'],
      [{ opens: 7_001n }, '422 amount_above_maximum, limit 7000 | 0 | 0 | 93000 | 93000 | settled | 12000/1 | – | –'],
      [{ ends: 'won' }, 'won | 0 | 0 | 93000 | 93000 | settled | 12000/1 | – | –'],
      [{ opens: 7_001n }, '422 amount_above_maximum, limit 7000 | 0 | 0 | 93000 | 93000 | settled | 12000/1 | – | –'],
    ],
  },
  {
    name: 'withdrawn before it was submitted, and disputed again',
    rows: [
      [clearing(2_500n), 'posted | 0 | 0 | 97500 | 97500 | settled | 2500/1 | C→S 2500 | forced'],
      [{ opens: 2_500n }, 'opened | 0 | 0 | 97500 | 97500 | settled | 2500/1 | – | –'],
      [{ opens: 1n }, '422 amount_above_maximum, limit 0 | 0 | 0 | 97500 | 97500 | settled | 2500/1 | – | –'],
      [{ ends: 'withdrawn' }, 'withdrawn | 0 | 0 | 97500 | 97500 | settled | 2500/1 | – | –'],
      [{ disputes: 2_500n }, 'submitted | 0 | 0 | 100000 | 100000 | settled | 2500/1 | S→C 2500 | –'],
      [{ ends: 'lost' }, 'lost | 0 | 0 | 97500 | 97500 | settled | 2500/1 | C→S 2500 | –'],
      [{ disputes: 1_000n }, 'submitted | 0 | 0 | 98500 | 98500 | settled | 2500/1 | S→C 1000 | –'],
    ],
  },
  {
    name: 'fees are not settled with the scheme',
    start: { fees: CASH_FEE },
    rows: [
      [cash(20_000n), 'approved 20000, 00 | 20000 | 300 | 100000 | 79700 | pending | 20000/1 | – | –'],
      [clearing(20_000n), 'posted | 0 | 0 | 79700 | 79700 | settled | 20000/1 | C→S 20000; C→D 300 | –'],
      [{ settles: true }, 'net 20000 | 0 | 0 | 79700 | 79700 | settled | 20000/1 | S→P 20000 | –'],
      [clearingReversal(rowName(2)), 'posted | 0 | 0 | 100000 | 100000 | reversed | 0/0 | S→C 20000; D→C 300 | –'],
      [{ settles: true }, 'net -20000 | 0 | 0 | 100000 | 100000 | reversed | 0/0 | P→S 20000 | –'],
    ],
  },
  {
    name: 'two refunds of one amount, one reversed',
    rows: [
      [clearing(10_000n), 'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 10000 | forced'],
      [refund(4_000n), 'posted | 0 | 0 | 94000 | 94000 | settled | 10000/1 | S→C 4000 | –'],
      [refund(4_000n), 'posted | 0 | 0 | 98000 | 98000 | settled | 10000/1 | S→C 4000 | –'],
      [
        refund(2_001n),
        'posted | 0 | 0 | 100001 | 100001 | settled | 10000/1 | S→C 2001 | exception refund_exceeds_cleared',
      ],
      [refundReversal(rowName(3)), 'posted | 0 | 0 | 96001 | 96001 | settled | 10000/1 | C→S 4000 | –'],
    ],
  },
];
