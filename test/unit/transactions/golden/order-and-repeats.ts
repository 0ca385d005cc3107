/** Golden scenarios, section B: order, repeats, contradictions. */
import {
  advice,
  authorization,
  clearing,
  clearingReversal,
  expiry,
  refund,
  refundRequest,
  refundReversal,
  reversal,
} from '../messages.ts';
import { rowName, type Scenario } from './scenario.ts';

export const ORDER_AND_REPEATS: readonly Scenario[] = [
  {
    name: 'G17 the clearing comes before its authorization',
    rows: [
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | forced'],
      [authorization(4_000n), 'declined authorization_closed, 12 | 0 | 0 | 96000 | 96000 | settled | 4000/1 | – | –'],
    ],
  },
  {
    name: 'G18 the reversal comes first (timeout), whole',
    rows: [
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [authorization(8_000n), 'declined already_reversed, 12 | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
    ],
  },
  {
    name: 'G19 the reversal comes first, with an amount that is not all',
    rows: [
      [reversal(3_000n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [authorization(8_000n), 'approved 8000, 00 | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –'],
      [clearing(5_000n), 'posted | 0 | 0 | 95000 | 95000 | settled | 5000/1 | C→S 5000 | –'],
    ],
  },
  {
    name: 'G20 the reversal comes first, with the amount of the authorization',
    rows: [
      [reversal(8_000n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [authorization(8_000n), 'declined already_reversed, 12 | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
    ],
  },
  {
    name: 'G21 the same message again',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [{ again: 1 }, 'the first answer | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [{ again: 1, amount: 4_100n }, 'idempotency_key_reused | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
    ],
  },
  {
    name: 'G22 the clearing comes twice under two references',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
      [
        clearing(4_000n),
        'posted | 0 | 0 | 92000 | 92000 | settled | 8000/1 | C→S 4000 | over_cleared; exception clearing_repeated',
      ],
      [clearingReversal(rowName(3), 4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | S→C 4000 | –'],
    ],
  },
  {
    name: 'G23 a reversed clearing restores no hold, and is presented again',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
      [clearingReversal(rowName(2), 4_000n), 'posted | 0 | 0 | 100000 | 100000 | reversed | 0/0 | S→C 4000 | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
    ],
  },
  {
    name: 'G24 the clearing_reversal comes before its clearing',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearingReversal(rowName(3)), 'recorded | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 100000 | 100000 | reversed | 0/0 | C→S 4000; S→C 4000 | –'],
    ],
  },
  {
    name: 'G24 without its clearing until it expires',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearingReversal('never', 4_000n), 'recorded | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [expiry(), 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | exception reversal_unmatched'],
    ],
  },
  {
    name: 'G24 the refund_reversal comes before its refund',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
      [refundReversal(rowName(4), 1_500n), 'recorded | 0 | 0 | 96000 | 96000 | settled | 4000/1 | – | –'],
      [refund(1_500n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | S→C 1500; C→S 1500 | –'],
    ],
  },
  {
    name: 'G24 a refund_reversal whose refund never comes',
    rows: [
      [refundRequest(5_000n), 'approved 5000, 00 | 0 | 0 | 100000 | 100000 | pending | 0/0 | – | –'],
      [refundReversal('never', 5_000n), 'recorded | 0 | 0 | 100000 | 100000 | pending | 0/0 | – | –'],
      [expiry(), 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | exception reversal_unmatched'],
    ],
  },
  {
    name: 'G25 stand-in approved below the balance',
    start: { account: { posted: 3_000n } },
    rows: [
      [advice('stand_in', 8_000n), 'recorded | 8000 | 0 | 3000 | -5000 | pending | 8000/1 | – | stand_in, below_floor'],
      [clearing(8_000n), 'posted | 0 | 0 | -5000 | -5000 | settled | 8000/1 | C→S 8000 | below_floor'],
    ],
  },
  {
    name: 'G26 we declined, the network stood in and approved',
    start: { account: { posted: 3_000n } },
    rows: [
      [authorization(8_000n), 'declined insufficient_funds, 51 | 0 | 0 | 3000 | 3000 | declined | 0/0 | – | –'],
      [advice('stand_in', 8_000n), 'recorded | 8000 | 0 | 3000 | -5000 | pending | 8000/1 | – | stand_in, below_floor'],
      [clearing(8_000n), 'posted | 0 | 0 | -5000 | -5000 | settled | 8000/1 | C→S 8000 | below_floor'],
    ],
  },
  {
    name: 'G27 we approved, the network stood in and declined',
    rows: [
      [authorization(8_000n), 'approved 8000, 00 | 8000 | 0 | 100000 | 92000 | pending | 8000/1 | – | –'],
      [
        advice('stand_in', 0n, { isApproved: false }),
        'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | stand_in',
      ],
    ],
  },
  {
    name: 'G28 approved offline with a card that is closed',
    rows: [
      [advice('offline', 2_500n), 'recorded | 2500 | 0 | 100000 | 97500 | pending | 2500/1 | – | offline'],
      [clearing(2_500n), 'posted | 0 | 0 | 97500 | 97500 | settled | 2500/1 | C→S 2500 | –'],
    ],
  },
  {
    name: 'G29 expired by the operator, and cleared',
    rows: [
      [authorization(7_000n), 'approved 7000, 00 | 7000 | 0 | 100000 | 93000 | pending | 7000/1 | – | –'],
      [{ says: expiry(), byHand: true }, 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | –'],
      [clearing(7_000n), 'posted | 0 | 0 | 93000 | 93000 | settled | 7000/1 | C→S 7000 | late'],
    ],
  },
  {
    name: 'G30 a forced post that resembles an open purchase',
    rows: [
      [authorization(6_400n), 'approved 6400, 00 | 6400 | 0 | 100000 | 93600 | pending | 6400/1 | – | –'],
      [
        { says: clearing(6_400n), of: 'second' },
        'posted | 0 | 0 | 93600 | 87200 | settled | 6400/1 | C→S 6400 | forced, resembles: first',
      ],
      [{ says: expiry(), byHand: true }, 'expired | 0 | 0 | 93600 | 93600 | expired | 0/0 | – | –'],
    ],
  },
];
