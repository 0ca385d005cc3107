/** Golden scenarios, section A: one purchase. */
import { authorization, clearing, expiry, increment, PARTIAL, reversal } from '../messages.ts';
import type { Scenario } from './scenario.ts';

export const ONE_PURCHASE: readonly Scenario[] = [
  {
    name: 'G01 cleared as authorized',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
    ],
  },
  {
    name: 'G02 cleared for less',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearing(3_500n), 'posted | 0 | 0 | 96500 | 96500 | settled | 3500/1 | C→S 3500 | –'],
    ],
  },
  {
    name: 'G03 restaurant, tip at the edge of the tolerance',
    start: { mcc: '5812' },
    rows: [
      [authorization(5_000n), 'approved 5000, 00 | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –'],
      [clearing(6_000n), 'posted | 0 | 0 | 94000 | 94000 | settled | 6000/1 | C→S 6000 | over_cleared'],
    ],
  },
  {
    name: 'G04 restaurant, one unit beyond the tolerance',
    start: { mcc: '5812' },
    rows: [
      [authorization(5_000n), 'approved 5000, 00 | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –'],
      [
        clearing(6_001n),
        'posted | 0 | 0 | 93999 | 93999 | settled | 6001/1 | C→S 6001 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'G05 reversed in part, the rest cleared',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [reversal(4_000n), 'recorded | 6000 | 0 | 100000 | 94000 | pending | 6000/1 | – | –'],
      [clearing(6_000n), 'posted | 0 | 0 | 94000 | 94000 | settled | 6000/1 | C→S 6000 | –'],
    ],
  },
  {
    name: 'G06 reversed whole, cleared all the same',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [
        clearing(10_000n),
        'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 10000 | late; exception clearing_after_reversal',
      ],
    ],
  },
  {
    name: 'G07 late presentment after expiry',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [expiry(), 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | –'],
      [clearing(10_000n), 'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 10000 | late'],
    ],
  },
  {
    name: 'G08 declined, and posted by the merchant',
    start: { account: { posted: 3_000n } },
    rows: [
      [authorization(5_000n), 'declined insufficient_funds, 51 | 0 | 0 | 3000 | 3000 | declined | 0/0 | – | –'],
      [
        clearing(5_000n),
        'posted | 0 | 0 | -2000 | -2000 | settled | 5000/1 | C→S 5000 | forced, below_floor; exception clearing_after_decline',
      ],
    ],
  },
  {
    name: 'G09 forced post on a frozen card',
    rows: [[clearing(2_500n), 'posted | 0 | 0 | 97500 | 97500 | settled | 2500/1 | C→S 2500 | forced']],
  },
  {
    name: 'G10 partial approval, then reversed whole',
    start: { account: { posted: 10_000n } },
    rows: [
      [authorization(15_000n, PARTIAL), 'approved 10000, 10 | 10000 | 0 | 10000 | 0 | pending | 10000/1 | – | –'],
      [reversal(), 'recorded | 0 | 0 | 10000 | 10000 | reversed | 0/0 | – | –'],
    ],
  },
  {
    name: 'G11 partial approval, then cleared',
    start: { account: { posted: 10_000n } },
    rows: [
      [authorization(15_000n, PARTIAL), 'approved 10000, 10 | 10000 | 0 | 10000 | 0 | pending | 10000/1 | – | –'],
      [clearing(10_000n), 'posted | 0 | 0 | 0 | 0 | settled | 10000/1 | C→S 10000 | –'],
    ],
  },
  {
    name: 'G12 increments: one approved, one declined',
    start: { account: { posted: 50_000n }, mcc: '7011' },
    rows: [
      [authorization(30_000n), 'approved 30000, 00 | 30000 | 0 | 50000 | 20000 | pending | 30000/1 | – | –'],
      [increment(15_000n), 'approved 15000, 00 | 45000 | 0 | 50000 | 5000 | pending | 45000/1 | – | –'],
      [increment(10_000n), 'declined insufficient_funds, 51 | 45000 | 0 | 50000 | 5000 | pending | 45000/1 | – | –'],
      [clearing(45_000n), 'posted | 0 | 0 | 5000 | 5000 | settled | 45000/1 | C→S 45000 | –'],
    ],
  },
  {
    name: 'G13 account verification',
    rows: [
      [
        authorization(0n, { kind: 'account_verification' }),
        'approved 0, 85 | 0 | 0 | 100000 | 100000 | verified | 0/0 | – | –',
      ],
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | verified | 0/0 | – | –'],
    ],
  },
  {
    name: 'G14 balance inquiry',
    start: { account: { held: 25_000n } },
    rows: [
      [
        authorization(0n, { kind: 'balance_inquiry' }),
        'approved 0, 00 | 0 | 0 | 100000 | 75000 | verified | 0/0 | – | –',
      ],
    ],
  },
  {
    name: 'G15 e-commerce order shipped in two parcels',
    rows: [
      [authorization(12_000n), 'approved 12000, 00 | 12000 | 0 | 100000 | 88000 | pending | 12000/1 | – | –'],
      [clearing(5_000n, { isFinal: false }), 'posted | 7000 | 0 | 95000 | 88000 | pending | 12000/1 | C→S 5000 | –'],
      [clearing(4_000n, { isFinal: true }), 'posted | 0 | 0 | 91000 | 91000 | settled | 9000/1 | C→S 4000 | –'],
    ],
  },
  {
    name: 'G16 account with an overdraft',
    start: { account: { posted: 1_000n, floor: -5_000n } },
    rows: [
      [authorization(6_000n), 'approved 6000, 00 | 6000 | 0 | 1000 | -5000 | pending | 6000/1 | – | –'],
      [
        { says: authorization(1n), of: 'second', shows: 'first' },
        'declined insufficient_funds, 51 | 6000 | 0 | 1000 | -5000 | pending | 6000/1 | – | –',
      ],
    ],
  },
];
