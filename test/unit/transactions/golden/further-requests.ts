/** Further rows: requests, advices and reversals. Beside the golden scenarios, in their form. */
import {
  advice,
  authorization,
  cash,
  clearing,
  clearingReversal,
  eur,
  expiry,
  increment,
  PARTIAL,
  reversal,
  SINGLE,
} from '../messages.ts';
import { CASH_FEE, MARKUP, rowName, type Scenario } from './scenario.ts';

export const FURTHER_REQUESTS: readonly Scenario[] = [
  {
    name: 'reversed twice in part',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [reversal(4_000n), 'recorded | 6000 | 0 | 100000 | 94000 | pending | 6000/1 | – | –'],
      [reversal(4_000n), 'recorded | 2000 | 0 | 100000 | 98000 | pending | 2000/1 | – | –'],
      [
        clearing(6_000n),
        'posted | 0 | 0 | 94000 | 94000 | settled | 6000/1 | C→S 6000 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'reversed whole after a part has cleared',
    rows: [
      [authorization(12_000n), 'approved 12000, 00 | 12000 | 0 | 100000 | 88000 | pending | 12000/1 | – | –'],
      [clearing(5_000n, { isFinal: false }), 'posted | 7000 | 0 | 95000 | 88000 | pending | 12000/1 | C→S 5000 | –'],
      [reversal(), 'recorded | 0 | 0 | 95000 | 95000 | settled | 5000/1 | – | –'],
      [
        clearing(7_000n),
        'posted | 0 | 0 | 88000 | 88000 | settled | 12000/1 | C→S 7000 | late; exception clearing_after_reversal',
      ],
    ],
  },
  {
    name: 'the rest is reversed by its amount',
    rows: [
      [authorization(12_000n), 'approved 12000, 00 | 12000 | 0 | 100000 | 88000 | pending | 12000/1 | – | –'],
      [clearing(5_000n, { isFinal: false }), 'posted | 7000 | 0 | 95000 | 88000 | pending | 12000/1 | C→S 5000 | –'],
      [reversal(7_000n), 'recorded | 0 | 0 | 95000 | 95000 | settled | 5000/1 | – | –'],
      [increment(1_000n), 'declined authorization_closed, 12 | 0 | 0 | 95000 | 95000 | settled | 5000/1 | – | –'],
      [
        clearing(100n),
        'posted | 0 | 0 | 94900 | 94900 | settled | 5100/1 | C→S 100 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'reversed whole, then a stand-in',
    rows: [
      [authorization(8_000n), 'approved 8000, 00 | 8000 | 0 | 100000 | 92000 | pending | 8000/1 | – | –'],
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [advice('stand_in', 8_000n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | stand_in'],
      [
        clearing(8_000n),
        'posted | 0 | 0 | 92000 | 92000 | settled | 8000/1 | C→S 8000 | late; exception clearing_after_reversal',
      ],
    ],
  },
  {
    name: 'increments after expiry: declined, and as an advice recorded',
    rows: [
      [authorization(5_000n), 'approved 5000, 00 | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –'],
      [expiry(), 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | –'],
      [increment(1_000n), 'declined authorization_closed, 12 | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | –'],
      [
        advice('stand_in', 1_000n, { of: 'increment' }),
        'recorded | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | stand_in',
      ],
      [clearing(6_000n), 'posted | 0 | 0 | 94000 | 94000 | settled | 6000/1 | C→S 6000 | late'],
    ],
  },
  {
    name: 'reversed after expiry',
    rows: [
      [authorization(5_000n), 'approved 5000, 00 | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –'],
      [expiry(), 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | –'],
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | –'],
      [
        clearing(5_000n),
        'posted | 0 | 0 | 95000 | 95000 | settled | 5000/1 | C→S 5000 | late; exception clearing_after_reversal',
      ],
    ],
  },
  {
    name: 'declined, then approved for less',
    start: { account: { posted: 3_000n } },
    rows: [
      [authorization(5_000n), 'declined insufficient_funds, 51 | 0 | 0 | 3000 | 3000 | declined | 0/0 | – | –'],
      [authorization(2_000n), 'approved 2000, 00 | 2000 | 0 | 3000 | 1000 | pending | 2000/1 | – | –'],
      [
        clearing(5_000n),
        'posted | 0 | 0 | -2000 | -2000 | settled | 5000/1 | C→S 5000 | over_cleared, below_floor; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'two authorizations under one network reference',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [authorization(4_000n), 'approved 4000, 00 | 8000 | 0 | 100000 | 92000 | pending | 8000/1 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
    ],
  },
  {
    name: 'the increment first',
    rows: [
      [increment(1_500n), 'approved 1500, 00 | 1500 | 0 | 100000 | 98500 | pending | 1500/1 | – | –'],
      [authorization(4_000n), 'approved 4000, 00 | 5500 | 0 | 100000 | 94500 | pending | 5500/1 | – | –'],
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
    ],
  },
  {
    name: 'a part of an increment',
    start: { account: { posted: 10_000n } },
    rows: [
      [authorization(6_000n), 'approved 6000, 00 | 6000 | 0 | 10000 | 4000 | pending | 6000/1 | – | –'],
      [increment(6_000n, PARTIAL), 'approved 4000, 10 | 10000 | 0 | 10000 | 0 | pending | 10000/1 | – | –'],
      [clearing(10_000n), 'posted | 0 | 0 | 0 | 0 | settled | 10000/1 | C→S 10000 | –'],
    ],
  },
  {
    name: 'a message that brings a fee along is charged for all that came before it',
    start: { account: { posted: 10_402n }, fees: MARKUP },
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 10402 | 402 | pending | 10000/1 | – | –'],
      [
        increment(100n, { merchant: eur(90n) }),
        'declined insufficient_funds, 51 | 10000 | 0 | 10402 | 402 | pending | 10000/1 | – | –',
      ],
      [
        increment(100n, { merchant: eur(90n), ...PARTIAL }),
        'approved 99 (89 EUR), 10 | 10099 | 303 | 10402 | 0 | pending | 10099/1 | – | –',
      ],
    ],
  },
  {
    name: 'a completion above the authorization',
    start: { mcc: '5542', account: { posted: 11_000n } },
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 11000 | 1000 | pending | 10000/1 | – | –'],
      [advice('completion', 12_000n), 'recorded | 12000 | 0 | 11000 | -1000 | pending | 12000/1 | – | below_floor'],
      [clearing(12_000n), 'posted | 0 | 0 | -1000 | -1000 | settled | 12000/1 | C→S 12000 | below_floor'],
    ],
  },
  {
    name: 'the completion comes first',
    start: { mcc: '5542', holdsFuel: true },
    rows: [
      [advice('completion', 3_850n), 'recorded | 3850 | 0 | 100000 | 96150 | pending | 3850/1 | – | –'],
      [authorization(100n), 'approved 100, 00 | 3850 | 0 | 100000 | 96150 | pending | 3850/1 | – | fuel'],
      [clearing(3_850n), 'posted | 0 | 0 | 96150 | 96150 | settled | 3850/1 | C→S 3850 | –'],
    ],
  },
  {
    name: 'beside a completion nothing more is approved, and an advice is recorded',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [advice('completion', 6_000n), 'recorded | 6000 | 0 | 100000 | 94000 | pending | 6000/1 | – | –'],
      [increment(50_000n), 'declined authorization_closed, 12 | 6000 | 0 | 100000 | 94000 | pending | 6000/1 | – | –'],
      [
        authorization(50_000n),
        'declined authorization_closed, 12 | 6000 | 0 | 100000 | 94000 | pending | 6000/1 | – | –',
      ],
      [
        advice('stand_in', 2_000n, { of: 'increment' }),
        'recorded | 6000 | 0 | 100000 | 94000 | pending | 6000/1 | – | stand_in',
      ],
      [clearing(6_000n), 'posted | 0 | 0 | 94000 | 94000 | settled | 6000/1 | C→S 6000 | –'],
    ],
  },
  {
    name: 'of two completions the larger counts',
    start: { mcc: '5542', holdsFuel: true },
    rows: [
      [authorization(100n), 'approved 100, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | fuel'],
      [advice('completion', 4_200n), 'recorded | 4200 | 0 | 100000 | 95800 | pending | 4200/1 | – | –'],
      [advice('completion', 3_850n), 'recorded | 4200 | 0 | 100000 | 95800 | pending | 4200/1 | – | –'],
    ],
  },
  {
    name: 'a completion that the network declined',
    start: { mcc: '5542', holdsFuel: true },
    rows: [
      [authorization(100n), 'approved 100, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | fuel'],
      [advice('completion', 0n, { isApproved: false }), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
    ],
  },
  {
    name: 'fuel expires',
    start: { mcc: '5542', holdsFuel: true },
    rows: [
      [authorization(100n), 'approved 100, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | fuel'],
      [expiry(), 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | –'],
      [clearing(4_200n), 'posted | 0 | 0 | 95800 | 95800 | settled | 4200/1 | C→S 4200 | late'],
    ],
  },
  {
    name: 'a single message at the pump',
    start: { mcc: '5542', holdsFuel: true },
    rows: [[authorization(100n, SINGLE), 'approved 100, 00 | 0 | 0 | 99900 | 99900 | settled | 100/1 | C→S 100 | –']],
  },
  {
    name: 'above the amount of a status check',
    start: { mcc: '5542', holdsFuel: true },
    rows: [[authorization(101n), 'approved 101, 00 | 101 | 0 | 100000 | 99899 | pending | 101/1 | – | –']],
  },
  {
    name: 'a status check reversed in part, then whole',
    start: { mcc: '5542', holdsFuel: true },
    rows: [
      [authorization(100n), 'approved 100, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | fuel'],
      [reversal(100n), 'recorded | 9900 | 0 | 100000 | 90100 | pending | 9900/1 | – | –'],
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
    ],
  },
  {
    name: 'a part of a single message',
    start: { account: { posted: 5_000n } },
    rows: [
      [
        authorization(8_000n, { ...SINGLE, ...PARTIAL }),
        'approved 5000, 10 | 0 | 0 | 0 | 0 | settled | 5000/1 | C→S 5000 | –',
      ],
      [reversal(8_000n), 'recorded | 0 | 0 | 5000 | 5000 | reversed | 0/0 | S→C 5000 | –'],
    ],
  },
  {
    name: 'a reversal that names a single message',
    rows: [
      [authorization(4_000n, SINGLE), 'approved 4000, 00 | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
      [clearingReversal(rowName(1), 1_000n), 'posted | 0 | 0 | 97000 | 97000 | settled | 3000/1 | S→C 1000 | –'],
      [clearingReversal(rowName(1)), 'posted | 0 | 0 | 100000 | 100000 | reversed | 0/0 | S→C 3000 | –'],
    ],
  },
  {
    name: 'a stand-in increment below the floor',
    start: { mcc: '7011' },
    rows: [
      [authorization(30_000n), 'approved 30000, 00 | 30000 | 0 | 100000 | 70000 | pending | 30000/1 | – | –'],
      [
        advice('stand_in', 90_000n, { of: 'increment' }),
        'recorded | 120000 | 0 | 100000 | -20000 | pending | 120000/1 | – | stand_in, below_floor',
      ],
      [increment(1n), 'declined insufficient_funds, 51 | 120000 | 0 | 100000 | -20000 | pending | 120000/1 | – | –'],
    ],
  },
  {
    name: 'declined by the network first',
    rows: [
      [
        advice('stand_in', 0n, { isApproved: false }),
        'recorded | 0 | 0 | 100000 | 100000 | declined | 0/0 | – | stand_in',
      ],
      [authorization(8_000n), 'declined authorization_closed, 12 | 0 | 0 | 100000 | 100000 | declined | 0/0 | – | –'],
    ],
  },
  {
    name: 'a single message by stand-in',
    start: { fees: CASH_FEE, account: { posted: 1_000n } },
    rows: [
      [
        advice('stand_in', 5_000n, { kind: 'cash', ...SINGLE }),
        'recorded | 0 | 0 | -4300 | -4300 | settled | 5000/1 | C→S 5000; C→D 300 | stand_in, below_floor',
      ],
      [reversal(), 'recorded | 0 | 0 | 1000 | 1000 | reversed | 0/0 | S→C 5000; D→C 300 | –'],
    ],
  },
  {
    name: 'an advice twice',
    rows: [
      [advice('stand_in', 8_000n), 'recorded | 8000 | 0 | 100000 | 92000 | pending | 8000/1 | – | stand_in'],
      [advice('stand_in', 8_000n), 'recorded | 16000 | 0 | 100000 | 84000 | pending | 16000/1 | – | stand_in'],
      [reversal(8_000n), 'recorded | 8000 | 0 | 100000 | 92000 | pending | 8000/1 | – | –'],
    ],
  },
  {
    name: 'verified, bought and reversed',
    rows: [
      [
        authorization(0n, { kind: 'account_verification' }),
        'approved 0, 85 | 0 | 0 | 100000 | 100000 | verified | 0/0 | – | –',
      ],
      [authorization(5_000n), 'approved 5000, 00 | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –'],
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | verified | 0/0 | – | –'],
      [
        clearing(5_000n),
        'posted | 0 | 0 | 95000 | 95000 | settled | 5000/1 | C→S 5000 | late; exception clearing_after_reversal',
      ],
    ],
  },
  {
    name: 'a part with overdraft and fee',
    start: { fees: CASH_FEE, account: { posted: 1_000n, floor: -5_000n } },
    rows: [
      [cash(10_000n, PARTIAL), 'approved 5700, 10 | 5700 | 300 | 1000 | -5000 | pending | 5700/1 | – | –'],
      [clearing(5_700n), 'posted | 0 | 0 | -5000 | -5000 | settled | 5700/1 | C→S 5700; C→D 300 | –'],
    ],
  },
  {
    name: 'nothing beside the fee',
    start: { fees: CASH_FEE, account: { posted: 300n } },
    rows: [[cash(1_000n, PARTIAL), 'declined insufficient_funds, 51 | 0 | 0 | 300 | 300 | declined | 0/0 | – | –']],
  },
  {
    name: 'cashback that is not covered',
    start: { account: { posted: 4_000n } },
    rows: [
      [
        authorization(5_000n, { cashback: 2_000n, ...PARTIAL }),
        'approved 3000, 87 | 3000 | 0 | 4000 | 1000 | pending | 3000/1 | – | –',
      ],
      [
        { says: authorization(2_000n, { cashback: 500n, ...PARTIAL }), of: 'second' },
        'declined insufficient_funds, 51 | 0 | 0 | 4000 | 1000 | declined | 0/0 | – | –',
      ],
    ],
  },
  {
    name: 'cash alone, blocked',
    start: { cash: 'block' },
    rows: [
      [
        authorization(5_000n, { cashback: 5_000n, ...PARTIAL }),
        'declined cash_blocked, 57 | 0 | 0 | 100000 | 100000 | declined | 0/0 | – | –',
      ],
    ],
  },
  {
    name: 'declined, reversed and cleared',
    start: { account: { posted: 3_000n } },
    rows: [
      [authorization(5_000n), 'declined insufficient_funds, 51 | 0 | 0 | 3000 | 3000 | declined | 0/0 | – | –'],
      [reversal(), 'recorded | 0 | 0 | 3000 | 3000 | reversed | 0/0 | – | –'],
      [
        clearing(5_000n),
        'posted | 0 | 0 | -2000 | -2000 | settled | 5000/1 | C→S 5000 | forced, late, below_floor; exception clearing_after_decline',
      ],
      [
        clearing(5_000n),
        'posted | 0 | 0 | -7000 | -7000 | settled | 10000/1 | C→S 5000 | forced, late, below_floor; exception clearing_repeated',
      ],
    ],
  },
  {
    name: 'reversal first, decided on its own amount',
    start: { account: { posted: 6_000n } },
    rows: [
      [reversal(3_000n), 'recorded | 0 | 0 | 6000 | 6000 | reversed | 0/0 | – | –'],
      [authorization(8_000n), 'declined insufficient_funds, 51 | 0 | 0 | 6000 | 6000 | reversed | 0/0 | – | –'],
      [authorization(8_000n, PARTIAL), 'approved 6000, 10 | 3000 | 0 | 6000 | 3000 | pending | 3000/1 | – | –'],
    ],
  },
  {
    name: 'increment of what was declined',
    start: { account: { posted: 3_000n } },
    rows: [
      [authorization(5_000n), 'declined insufficient_funds, 51 | 0 | 0 | 3000 | 3000 | declined | 0/0 | – | –'],
      [increment(1_000n), 'approved 1000, 00 | 1000 | 0 | 3000 | 2000 | pending | 1000/1 | – | –'],
    ],
  },
  {
    name: 'a fee with a minimum and a maximum',
    start: {
      mcc: '7995',
      fees: { quasiCash: { ...CASH_FEE.cash!, fixed: 0n, basisPoints: 250n, minimum: 500n, maximum: 2_000n } },
    },
    rows: [
      [
        authorization(10_000n, { kind: 'quasi_cash' }),
        'approved 10000, 00 | 10000 | 500 | 100000 | 89500 | pending | 10000/1 | – | –',
      ],
      [
        increment(90_000n, { kind: 'quasi_cash', ...PARTIAL }),
        'approved 88000, 10 | 98000 | 2000 | 100000 | 0 | pending | 98000/1 | – | –',
      ],
    ],
  },
  {
    name: 'approved offline, then declined by the network',
    rows: [
      [advice('offline', 2_500n), 'recorded | 2500 | 0 | 100000 | 97500 | pending | 2500/1 | – | offline'],
      [
        advice('stand_in', 0n, { isApproved: false }),
        'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | stand_in',
      ],
      [
        clearing(2_500n),
        'posted | 0 | 0 | 97500 | 97500 | settled | 2500/1 | C→S 2500 | late; exception clearing_after_decline',
      ],
    ],
  },
];
