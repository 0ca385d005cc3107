/** Golden scenarios, section D: currencies, fees, cash. */
import { authorization, cash, clearing, eur, jpy, PARTIAL, reversal, SINGLE } from '../messages.ts';
import { CASH_FEE, MARKUP, type Scenario } from './scenario.ts';

export const CURRENCIES_FEES_AND_CASH: readonly Scenario[] = [
  {
    name: 'G42 two clearings at another rate',
    rows: [
      [
        authorization(11_000n, { merchant: eur(10_000n) }),
        'approved 11000, 00 | 11000 | 0 | 100000 | 89000 | pending | 11000/1 | – | –',
      ],
      [
        clearing(6_720n, { merchant: eur(6_000n), isFinal: false }),
        'posted | 4400 | 0 | 93280 | 88880 | pending | 11120/1 | C→S 6720 | fx_difference 120',
      ],
      [
        clearing(4_440n, { merchant: eur(4_000n), isFinal: true }),
        'posted | 0 | 0 | 88840 | 88840 | settled | 11160/1 | C→S 4440 | fx_difference 160',
      ],
    ],
  },
  {
    name: 'G43 more than authorized, measured in the merchant currency',
    rows: [
      [
        authorization(11_000n, { merchant: eur(10_000n) }),
        'approved 11000, 00 | 11000 | 0 | 100000 | 89000 | pending | 11000/1 | – | –',
      ],
      [
        clearing(11_600n, { merchant: eur(10_500n) }),
        'posted | 0 | 0 | 88400 | 88400 | settled | 11600/1 | C→S 11600 | over_cleared, fx_difference 50; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'G44 rounding of the hold, in whichever order the pieces come',
    rows: [
      [
        authorization(1_000n, { merchant: jpy(1_500n) }),
        'approved 1000, 00 | 1000 | 0 | 100000 | 99000 | pending | 1000/1 | – | –',
      ],
      [
        clearing(333n, { merchant: jpy(500n), isFinal: false }),
        'posted | 667 | 0 | 99667 | 99000 | pending | 1000/1 | C→S 333 | –',
      ],
      // The table leaves out fx_difference: 667 stand cleared, and ⌊1000 × 1000 ÷ 1500⌋ = 666 was foreseen.
      [
        clearing(334n, { merchant: jpy(500n), isFinal: false }),
        'posted | 334 | 0 | 99333 | 98999 | pending | 1001/1 | C→S 334 | fx_difference 1',
      ],
      [
        clearing(333n, { merchant: jpy(500n), isFinal: true }),
        'posted | 0 | 0 | 99000 | 99000 | settled | 1000/1 | C→S 333 | –',
      ],
    ],
  },
  {
    name: 'G45 partial approval in a foreign currency',
    start: { account: { posted: 5_000n } },
    rows: [
      [
        authorization(11_000n, { merchant: eur(10_001n), ...PARTIAL }),
        'approved 5000 (4545 EUR), 10 | 5000 | 0 | 5000 | 0 | pending | 5000/1 | – | –',
      ],
    ],
  },
  {
    name: 'G46 cash with a fixed fee, exactly covered',
    start: { account: { posted: 20_300n }, fees: CASH_FEE },
    rows: [
      [cash(20_000n), 'approved 20000, 00 | 20000 | 300 | 20300 | 0 | pending | 20000/1 | – | –'],
      [clearing(20_000n), 'posted | 0 | 0 | 0 | 0 | settled | 20000/1 | C→S 20000; C→D 300 | –'],
    ],
  },
  {
    name: 'G47 cash with a fixed fee, one unit short',
    start: { account: { posted: 20_299n }, fees: CASH_FEE },
    rows: [[cash(20_000n), 'declined insufficient_funds, 51 | 0 | 0 | 20299 | 20299 | declined | 0/0 | – | –']],
  },
  {
    name: 'G48 partial approval leaves room for the fee',
    start: { account: { posted: 10_000n }, fees: CASH_FEE },
    rows: [[cash(20_000n, PARTIAL), 'approved 9700, 10 | 9700 | 300 | 10000 | 0 | pending | 9700/1 | – | –']],
  },
  {
    name: 'G49 markup of 300 basis points, two clearings',
    start: { fees: MARKUP },
    rows: [
      [
        authorization(11_000n, { merchant: eur(10_000n) }),
        'approved 11000, 00 | 11000 | 330 | 100000 | 88670 | pending | 11000/1 | – | –',
      ],
      // The table leaves out fx_difference here, which it names for the same amounts in G42.
      [
        clearing(6_720n, { merchant: eur(6_000n), isFinal: false }),
        'posted | 4400 | 132 | 93078 | 88546 | pending | 11120/1 | C→S 6720; C→D 202 | fx_difference 120',
      ],
      [
        clearing(4_440n, { merchant: eur(4_000n), isFinal: true }),
        'posted | 0 | 0 | 88505 | 88505 | settled | 11160/1 | C→S 4440; C→D 133 | fx_difference 160',
      ],
    ],
  },
  {
    name: 'G50 cash machine, single message, dispenses less',
    start: { fees: CASH_FEE },
    rows: [
      [
        cash(20_000n, SINGLE),
        'approved 20000, 00 | 0 | 0 | 79700 | 79700 | settled | 20000/1 | C→S 20000; C→D 300 | –',
      ],
      [reversal(8_000n), 'recorded | 0 | 0 | 87700 | 87700 | settled | 12000/1 | S→C 8000 | –'],
    ],
  },
  {
    name: 'G51 cash machine, single message, dispenses nothing',
    start: { fees: CASH_FEE },
    rows: [
      [
        cash(20_000n, SINGLE),
        'approved 20000, 00 | 0 | 0 | 79700 | 79700 | settled | 20000/1 | C→S 20000; C→D 300 | –',
      ],
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | S→C 20000; D→C 300 | –'],
    ],
  },
  {
    name: 'G52 cash machine, the reversal comes first',
    start: { fees: CASH_FEE },
    rows: [
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [cash(20_000n, SINGLE), 'declined already_reversed, 12 | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
    ],
  },
  {
    name: 'G53 quasi-cash where cash is blocked',
    start: { cash: 'block' },
    rows: [
      [
        authorization(5_000n, { kind: 'quasi_cash' }),
        'declined cash_blocked, 57 | 0 | 0 | 100000 | 100000 | declined | 0/0 | – | –',
      ],
    ],
  },
  {
    name: 'G54 cashback where cash is blocked',
    start: { cash: 'block' },
    rows: [
      [
        authorization(5_000n, { cashback: 2_000n, ...PARTIAL }),
        'approved 3000, 87 | 3000 | 0 | 100000 | 97000 | pending | 3000/1 | – | –',
      ],
      [clearing(3_000n), 'posted | 0 | 0 | 97000 | 97000 | settled | 3000/1 | C→S 3000 | –'],
    ],
  },
];
