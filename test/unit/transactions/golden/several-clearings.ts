/** Golden scenarios, section C: fuel, travel, several clearings. */
import { advice, authorization, clearing, expiry, increment, PARTIAL, piece } from '../messages.ts';
import type { Scenario } from './scenario.ts';

export const SEVERAL_CLEARINGS: readonly Scenario[] = [
  {
    name: 'G31 fuel: status check, completion, clearing',
    start: { mcc: '5542', holdsFuel: true },
    rows: [
      [authorization(100n), 'approved 100, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | fuel'],
      [advice('completion', 3_850n), 'recorded | 3850 | 0 | 100000 | 96150 | pending | 3850/1 | – | –'],
      [clearing(3_850n), 'posted | 0 | 0 | 96150 | 96150 | settled | 3850/1 | C→S 3850 | –'],
    ],
  },
  {
    name: 'G32 fuel without a completion',
    start: { mcc: '5542', holdsFuel: true },
    rows: [
      [authorization(100n), 'approved 100, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | fuel'],
      [clearing(4_200n), 'posted | 0 | 0 | 95800 | 95800 | settled | 4200/1 | C→S 4200 | –'],
    ],
  },
  {
    name: 'G33 fuel with too little',
    start: { account: { posted: 9_999n }, mcc: '5542', holdsFuel: true },
    rows: [[authorization(100n), 'declined insufficient_funds, 51 | 0 | 0 | 9999 | 9999 | declined | 0/0 | – | –']],
  },
  {
    name: 'G34 fuel, nothing pumped',
    start: { mcc: '5542', holdsFuel: true },
    rows: [
      [authorization(100n), 'approved 100, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | fuel'],
      [advice('completion', 0n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
    ],
  },
  {
    name: 'G35 fuel, the pump asks for a real amount and takes a part',
    start: { account: { posted: 6_000n }, mcc: '5542', holdsFuel: true },
    rows: [
      [authorization(10_000n, PARTIAL), 'approved 6000, 10 | 6000 | 0 | 6000 | 0 | pending | 6000/1 | – | –'],
      [advice('completion', 5_120n), 'recorded | 5120 | 0 | 6000 | 880 | pending | 5120/1 | – | –'],
      [clearing(5_120n), 'posted | 0 | 0 | 880 | 880 | settled | 5120/1 | C→S 5120 | –'],
    ],
  },
  {
    name: 'G36 hotel: increment, final bill, a late charge',
    start: { mcc: '7011' },
    rows: [
      [authorization(30_000n), 'approved 30000, 00 | 30000 | 0 | 100000 | 70000 | pending | 30000/1 | – | –'],
      [increment(20_000n), 'approved 20000, 00 | 50000 | 0 | 100000 | 50000 | pending | 50000/1 | – | –'],
      [clearing(50_000n), 'posted | 0 | 0 | 50000 | 50000 | settled | 50000/1 | C→S 50000 | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 46000 | 46000 | settled | 54000/1 | C→S 4000 | over_cleared'],
    ],
  },
  {
    name: 'G37 hotel no-show without an authorization',
    start: { mcc: '7011' },
    rows: [[clearing(15_000n), 'posted | 0 | 0 | 85000 | 85000 | settled | 15000/1 | C→S 15000 | forced']],
  },
  {
    name: 'G38 airline: three tickets, three clearings',
    rows: [
      [authorization(90_000n), 'approved 90000, 00 | 90000 | 0 | 100000 | 10000 | pending | 90000/1 | – | –'],
      [piece(30_000n, 1, 3), 'posted | 60000 | 0 | 70000 | 10000 | pending | 90000/1 | C→S 30000 | –'],
      [piece(30_000n, 2, 3), 'posted | 30000 | 0 | 40000 | 10000 | pending | 90000/1 | C→S 30000 | –'],
      [piece(30_000n, 3, 3), 'posted | 0 | 0 | 10000 | 10000 | settled | 90000/1 | C→S 30000 | –'],
    ],
  },
  {
    name: 'G39 airline: a piece is missing until expiry, and comes late',
    rows: [
      [authorization(90_000n), 'approved 90000, 00 | 90000 | 0 | 100000 | 10000 | pending | 90000/1 | – | –'],
      [piece(30_000n, 1, 3), 'posted | 60000 | 0 | 70000 | 10000 | pending | 90000/1 | C→S 30000 | –'],
      [piece(30_000n, 3, 3), 'posted | 30000 | 0 | 40000 | 10000 | pending | 90000/1 | C→S 30000 | –'],
      [expiry(), 'expired | 0 | 0 | 40000 | 40000 | settled | 60000/1 | – | –'],
      [piece(30_000n, 2, 3), 'posted | 0 | 0 | 10000 | 10000 | settled | 90000/1 | C→S 30000 | late'],
    ],
  },
  {
    name: 'G40 a piece comes twice under two references',
    rows: [
      [authorization(90_000n), 'approved 90000, 00 | 90000 | 0 | 100000 | 10000 | pending | 90000/1 | – | –'],
      [piece(30_000n, 1, 3), 'posted | 60000 | 0 | 70000 | 10000 | pending | 90000/1 | C→S 30000 | –'],
      [
        piece(30_000n, 1, 3),
        'posted | 30000 | 0 | 40000 | 10000 | pending | 90000/1 | C→S 30000 | exception clearing_repeated',
      ],
      [piece(30_000n, 2, 3), 'posted | 0 | 0 | 10000 | 10000 | settled | 90000/1 | C→S 30000 | –'],
      [
        piece(30_000n, 3, 3),
        'posted | 0 | 0 | -20000 | -20000 | settled | 120000/1 | C→S 30000 | over_cleared, below_floor; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'G41 transit: verification at the gate, one clearing at night',
    rows: [
      [
        authorization(0n, { kind: 'account_verification' }),
        'approved 0, 85 | 0 | 0 | 100000 | 100000 | verified | 0/0 | – | –',
      ],
      [clearing(1_275n), 'posted | 0 | 0 | 98725 | 98725 | settled | 1275/1 | C→S 1275 | forced'],
    ],
  },
];
