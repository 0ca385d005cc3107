/** Further rows: what clears, in which currency, and what is taken back of it. Beside the golden scenarios, in their form. */
import {
  advice,
  authorization,
  clearing,
  clearingReversal,
  eur,
  expiry,
  increment,
  jpy,
  PARTIAL,
  piece,
  refund,
  reversal,
  SINGLE,
} from '../messages.ts';
import { MARKUP, rowName, type Scenario } from './scenario.ts';

export const FURTHER_CLEARINGS: readonly Scenario[] = [
  {
    name: 'more pumped than held',
    start: { mcc: '5542', holdsFuel: true },
    rows: [
      [authorization(100n), 'approved 100, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | fuel'],
      [
        clearing(12_500n),
        'posted | 0 | 0 | 87500 | 87500 | settled | 12500/1 | C→S 12500 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'tip after an increment',
    start: { mcc: '5814' },
    rows: [
      [authorization(5_000n), 'approved 5000, 00 | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –'],
      [increment(1_000n), 'approved 1000, 00 | 6000 | 0 | 100000 | 94000 | pending | 6000/1 | – | –'],
      [clearing(7_200n), 'posted | 0 | 0 | 92800 | 92800 | settled | 7200/1 | C→S 7200 | over_cleared'],
    ],
  },
  {
    name: 'tip after a reversal',
    start: { mcc: '7230' },
    rows: [
      [authorization(5_000n), 'approved 5000, 00 | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –'],
      [reversal(1_000n), 'recorded | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [
        clearing(4_801n),
        'posted | 0 | 0 | 95199 | 95199 | settled | 4801/1 | C→S 4801 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'car rental',
    start: { mcc: '3400' },
    rows: [
      [authorization(20_000n), 'approved 20000, 00 | 20000 | 0 | 100000 | 80000 | pending | 20000/1 | – | –'],
      [clearing(23_000n), 'posted | 0 | 0 | 77000 | 77000 | settled | 23000/1 | C→S 23000 | over_cleared'],
    ],
  },
  {
    name: 'airline',
    start: { mcc: '3000' },
    rows: [
      [authorization(20_000n), 'approved 20000, 00 | 20000 | 0 | 100000 | 80000 | pending | 20000/1 | – | –'],
      [
        clearing(20_001n),
        'posted | 0 | 0 | 79999 | 79999 | settled | 20001/1 | C→S 20001 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'pieces out of order',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [piece(4_000n, 2, 2), 'posted | 6000 | 0 | 96000 | 90000 | pending | 10000/1 | C→S 4000 | –'],
      [piece(5_000n, 1, 2), 'posted | 0 | 0 | 91000 | 91000 | settled | 9000/1 | C→S 5000 | –'],
    ],
  },
  {
    name: 'the only piece closes',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [piece(3_000n, 1, 1), 'posted | 0 | 0 | 97000 | 97000 | settled | 3000/1 | C→S 3000 | –'],
    ],
  },
  {
    name: 'pieces that come to more',
    rows: [
      [authorization(9_000n), 'approved 9000, 00 | 9000 | 0 | 100000 | 91000 | pending | 9000/1 | – | –'],
      [piece(5_000n, 1, 2), 'posted | 4000 | 0 | 95000 | 91000 | pending | 9000/1 | C→S 5000 | –'],
      [
        piece(5_000n, 2, 2),
        'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 5000 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'a clearing reversed in parts',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
      [clearingReversal(rowName(2), 1_500n), 'posted | 0 | 0 | 97500 | 97500 | settled | 2500/1 | S→C 1500 | –'],
      [clearingReversal(rowName(2)), 'posted | 0 | 0 | 100000 | 100000 | reversed | 0/0 | S→C 2500 | –'],
      [clearingReversal(rowName(2), 4_000n), 'posted | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
    ],
  },
  {
    name: 'a non-final clearing reversed and presented again',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [clearing(4_000n, { isFinal: false }), 'posted | 6000 | 0 | 96000 | 90000 | pending | 10000/1 | C→S 4000 | –'],
      [clearingReversal(rowName(2)), 'posted | 6000 | 0 | 100000 | 94000 | pending | 6000/1 | S→C 4000 | –'],
      [clearing(4_000n, { isFinal: false }), 'posted | 2000 | 0 | 96000 | 94000 | pending | 6000/1 | C→S 4000 | –'],
      [clearing(6_000n), 'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 6000 | –'],
    ],
  },
  {
    name: 'a late clearing reversed',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [expiry(), 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | late'],
      [clearingReversal(rowName(3)), 'posted | 0 | 0 | 100000 | 100000 | expired | 0/0 | S→C 4000 | –'],
    ],
  },
  {
    name: 'a clearing of a single message',
    rows: [
      [authorization(4_000n, SINGLE), 'approved 4000, 00 | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
      [
        clearing(4_000n),
        'posted | 0 | 0 | 92000 | 92000 | settled | 8000/1 | C→S 4000 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'markup of a single message',
    start: { fees: MARKUP },
    rows: [
      [
        authorization(11_000n, { ...SINGLE, merchant: eur(10_000n) }),
        'approved 11000, 00 | 0 | 0 | 88670 | 88670 | settled | 11000/1 | C→S 11000; C→D 330 | –',
      ],
      [reversal(5_500n, eur(5_000n)), 'recorded | 0 | 0 | 94335 | 94335 | settled | 5500/1 | S→C 5500; D→C 165 | –'],
    ],
  },
  {
    name: 'markup half to even',
    start: { fees: MARKUP },
    rows: [
      [
        authorization(150n, { merchant: eur(150n) }),
        'approved 150, 00 | 150 | 4 | 100000 | 99846 | pending | 150/1 | – | –',
      ],
      [
        clearing(50n, { merchant: eur(50n), isFinal: false }),
        'posted | 100 | 2 | 99948 | 99846 | pending | 150/1 | C→S 50; C→D 2 | –',
      ],
      [
        clearing(100n, { merchant: eur(100n) }),
        'posted | 0 | 0 | 99846 | 99846 | settled | 150/1 | C→S 100; C→D 2 | –',
      ],
      [clearingReversal(rowName(2)), 'posted | 0 | 0 | 99897 | 99897 | settled | 100/1 | S→C 50; D→C 1 | –'],
    ],
  },
  {
    name: 'forced in another currency',
    start: { fees: MARKUP },
    rows: [
      [
        clearing(10_000n, { merchant: eur(9_000n) }),
        'posted | 0 | 0 | 89700 | 89700 | settled | 10000/1 | C→S 10000; C→D 300 | forced',
      ],
      [refund(10_000n), 'posted | 0 | 0 | 99700 | 99700 | settled | 10000/1 | S→C 10000 | –'],
    ],
  },
  {
    name: 'a reversal without the amount of the merchant',
    rows: [
      [
        authorization(11_000n, { merchant: eur(10_000n) }),
        'approved 11000, 00 | 11000 | 0 | 100000 | 89000 | pending | 11000/1 | – | –',
      ],
      [reversal(1_000n), 'recorded | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [
        clearing(5_000n, { merchant: eur(4_500n), isFinal: false }),
        'posted | 5000 | 0 | 95000 | 90000 | pending | 10000/1 | C→S 5000 | –',
      ],
    ],
  },
  {
    name: 'a part reversed, measured in euro',
    rows: [
      [
        authorization(11_000n, { merchant: eur(10_000n) }),
        'approved 11000, 00 | 11000 | 0 | 100000 | 89000 | pending | 11000/1 | – | –',
      ],
      [reversal(3_300n, eur(3_000n)), 'recorded | 7700 | 0 | 100000 | 92300 | pending | 7700/1 | – | –'],
      [
        clearing(3_960n, { merchant: eur(3_500n), isFinal: false }),
        'posted | 3850 | 0 | 96040 | 92190 | pending | 7810/1 | C→S 3960 | fx_difference 110',
      ],
    ],
  },
  {
    name: 'a clearing in euro reversed',
    rows: [
      [
        authorization(11_000n, { merchant: eur(10_000n) }),
        'approved 11000, 00 | 11000 | 0 | 100000 | 89000 | pending | 11000/1 | – | –',
      ],
      [
        clearing(6_720n, { merchant: eur(6_000n), isFinal: false }),
        'posted | 4400 | 0 | 93280 | 88880 | pending | 11120/1 | C→S 6720 | fx_difference 120',
      ],
      [clearingReversal(rowName(2)), 'posted | 4400 | 0 | 100000 | 95600 | pending | 4400/1 | S→C 6720 | –'],
      [
        clearing(4_440n, { merchant: eur(4_000n), isFinal: true }),
        'posted | 0 | 0 | 95560 | 95560 | settled | 4440/1 | C→S 4440 | fx_difference 40',
      ],
    ],
  },
  {
    name: 'dearer in the account, whole in the merchant currency',
    rows: [
      [
        authorization(11_000n, { merchant: eur(10_000n) }),
        'approved 11000, 00 | 11000 | 0 | 100000 | 89000 | pending | 11000/1 | – | –',
      ],
      [
        clearing(12_000n, { merchant: eur(10_000n), isFinal: false }),
        'posted | 0 | 0 | 88000 | 88000 | settled | 12000/1 | C→S 12000 | fx_difference 1000',
      ],
      [
        increment(1_100n, { merchant: eur(1_000n) }),
        'approved 1100, 00 | 1100 | 0 | 88000 | 86900 | pending | 13100/1 | – | –',
      ],
    ],
  },
  {
    name: 'tolerance in the merchant currency',
    start: { mcc: '5812' },
    rows: [
      [
        authorization(1_000n, { merchant: jpy(1_501n) }),
        'approved 1000, 00 | 1000 | 0 | 100000 | 99000 | pending | 1000/1 | – | –',
      ],
      [
        clearing(1_300n, { merchant: jpy(1_801n) }),
        'posted | 0 | 0 | 98700 | 98700 | settled | 1300/1 | C→S 1300 | over_cleared, fx_difference 101',
      ],
      [
        clearing(1n, { merchant: jpy(1n) }),
        'posted | 0 | 0 | 98699 | 98699 | settled | 1301/1 | C→S 1 | over_cleared, fx_difference 101; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'forced twice',
    rows: [
      [clearing(2_500n), 'posted | 0 | 0 | 97500 | 97500 | settled | 2500/1 | C→S 2500 | forced'],
      [
        clearing(2_500n),
        'posted | 0 | 0 | 95000 | 95000 | settled | 5000/1 | C→S 2500 | forced; exception clearing_repeated',
      ],
    ],
  },
  {
    name: 'two that it may resemble',
    rows: [
      [authorization(6_400n), 'approved 6400, 00 | 6400 | 0 | 100000 | 93600 | pending | 6400/1 | – | –'],
      [
        { says: authorization(6_400n), of: 'second' },
        'approved 6400, 00 | 6400 | 0 | 100000 | 87200 | pending | 6400/1 | – | –',
      ],
      [
        { says: clearing(6_400n), of: 'third' },
        'posted | 0 | 0 | 93600 | 80800 | settled | 6400/1 | C→S 6400 | forced',
      ],
    ],
  },
  {
    name: 'one of what is left',
    rows: [
      [authorization(6_400n), 'approved 6400, 00 | 6400 | 0 | 100000 | 93600 | pending | 6400/1 | – | –'],
      [reversal(400n), 'recorded | 6000 | 0 | 100000 | 94000 | pending | 6000/1 | – | –'],
      [
        { says: clearing(6_400n), of: 'second' },
        'posted | 0 | 0 | 93600 | 87600 | settled | 6400/1 | C→S 6400 | forced',
      ],
      [
        { says: clearing(6_000n), of: 'third' },
        'posted | 0 | 0 | 87600 | 81600 | settled | 6000/1 | C→S 6000 | forced, resembles: first',
      ],
    ],
  },
  {
    name: 'the clearing, its advice, the clearing again',
    rows: [
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | forced'],
      [advice('stand_in', 4_000n), 'recorded | 0 | 0 | 96000 | 96000 | settled | 4000/1 | – | stand_in'],
      [
        clearing(4_000n),
        'posted | 0 | 0 | 92000 | 92000 | settled | 8000/1 | C→S 4000 | over_cleared; exception clearing_repeated',
      ],
    ],
  },
  {
    name: 'a clearing reversed on a closed account',
    start: { account: { posted: 4_000n } },
    rows: [
      [clearing(4_000n), 'posted | 0 | 0 | 0 | 0 | settled | 4000/1 | C→S 4000 | forced'],
      [{ accountIs: 'closed' }, 'closed | 0 | 0 | 0 | 0 | settled | 4000/1 | – | –'],
      [
        clearingReversal(rowName(1)),
        'posted | 0 | 0 | 4000 | 4000 | reversed | 0/0 | S→C 4000 | account_closed; exception refund_account_closed 4000',
      ],
      [
        clearing(4_000n),
        'posted | 0 | 0 | 0 | 0 | settled | 4000/1 | C→S 4000 | forced, account_closed; exception clearing_account_closed',
      ],
    ],
  },
  {
    name: 'more taken back than comes',
    rows: [
      [clearingReversal(rowName(2), 5_000n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 100000 | 100000 | reversed | 0/0 | C→S 4000; S→C 4000 | forced'],
    ],
  },
  {
    name: 'a part taken back before it comes',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearingReversal(rowName(3), 1_000n), 'recorded | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 97000 | 97000 | settled | 3000/1 | C→S 4000; S→C 1000 | –'],
    ],
  },
  {
    name: 'a reversal of a posting that names the authorization waits in vain',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearingReversal(rowName(1)), 'recorded | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [expiry(), 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | exception reversal_unmatched'],
    ],
  },
  {
    name: 'a single message after its reversal of a part, in euro',
    start: { fees: MARKUP },
    rows: [
      [reversal(5_500n, eur(5_000n)), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [
        authorization(11_000n, { ...SINGLE, merchant: eur(10_000n) }),
        'approved 11000, 00 | 0 | 0 | 94335 | 94335 | settled | 5500/1 | C→S 5500; C→D 165 | –',
      ],
    ],
  },
  {
    name: 'a merchant amount of 0 measures nothing',
    rows: [
      [
        authorization(5_000n, { merchant: eur(0n) }),
        'approved 5000, 00 | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –',
      ],
      [
        clearing(2_000n, { merchant: eur(0n), isFinal: false }),
        'posted | 3000 | 0 | 98000 | 95000 | pending | 5000/1 | C→S 2000 | –',
      ],
      [
        clearing(4_000n, { merchant: eur(3_500n) }),
        'posted | 0 | 0 | 94000 | 94000 | settled | 6000/1 | C→S 4000 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'a part that is worth nothing to the merchant holds all the same',
    start: { account: { posted: 4_000n } },
    rows: [
      [
        authorization(10_000n, { merchant: eur(2n), ...PARTIAL }),
        'approved 4000 (0 EUR), 10 | 4000 | 0 | 4000 | 0 | pending | 4000/1 | – | –',
      ],
      [clearing(4_000n, { merchant: eur(1n) }), 'posted | 0 | 0 | 0 | 0 | settled | 4000/1 | C→S 4000 | –'],
    ],
  },
];
