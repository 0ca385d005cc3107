/** Golden scenarios, section G: credits. */
import { authorization, clearing, expiry, refund, refundRequest, refundReversal, SINGLE } from '../messages.ts';
import { rowName, type Scenario } from './scenario.ts';

export const CREDITS: readonly Scenario[] = [
  {
    name: 'G76 refunded in part after clearing',
    rows: [
      [authorization(10_000n), 'approved 10000, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | –'],
      [clearing(10_000n), 'posted | 0 | 0 | 90000 | 90000 | settled | 10000/1 | C→S 10000 | –'],
      [refund(3_000n), 'posted | 0 | 0 | 93000 | 93000 | settled | 10000/1 | S→C 3000 | –'],
    ],
  },
  {
    name: 'G77 refund without a purchase of ours',
    rows: [[refund(2_200n), 'posted | 0 | 0 | 102200 | 102200 | settled | 0/0 | S→C 2200 | unmatched']],
  },
  {
    name: 'G78 refund authorized first',
    rows: [
      [refundRequest(5_000n), 'approved 5000, 00 | 0 | 0 | 100000 | 100000 | pending | 0/0 | – | –'],
      [refund(5_000n), 'posted | 0 | 0 | 105000 | 105000 | settled | 0/0 | S→C 5000 | –'],
    ],
  },
  {
    name: 'G79 refund authorized, never posted, and posted late',
    rows: [
      [refundRequest(5_000n), 'approved 5000, 00 | 0 | 0 | 100000 | 100000 | pending | 0/0 | – | –'],
      [expiry(), 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | –'],
      [refund(5_000n), 'posted | 0 | 0 | 105000 | 105000 | settled | 0/0 | S→C 5000 | late'],
    ],
  },
  {
    name: 'G80 credit voucher reversed after it was spent',
    start: { account: { posted: 0n } },
    rows: [
      [refund(3_000n), 'posted | 0 | 0 | 3000 | 3000 | settled | 0/0 | S→C 3000 | unmatched'],
      [
        { says: authorization(3_000n), of: 'second' },
        'approved 3000, 00 | 3000 | 0 | 3000 | 0 | pending | 3000/1 | – | –',
      ],
      [{ says: clearing(3_000n), of: 'second' }, 'posted | 0 | 0 | 0 | 0 | settled | 3000/1 | C→S 3000 | –'],
      [refundReversal(rowName(1), 3_000n), 'posted | 0 | 0 | -3000 | -3000 | reversed | 0/0 | C→S 3000 | below_floor'],
    ],
  },
  {
    name: 'G81 more refunded than cleared',
    rows: [
      [authorization(4_000n), 'approved 4000, 00 | 4000 | 0 | 100000 | 96000 | pending | 4000/1 | – | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 96000 | 96000 | settled | 4000/1 | C→S 4000 | –'],
      [
        refund(4_500n),
        'posted | 0 | 0 | 100500 | 100500 | settled | 4000/1 | S→C 4500 | exception refund_exceeds_cleared',
      ],
    ],
  },
  {
    name: 'G87 push to card',
    rows: [
      [
        authorization(9_000n, { kind: 'transfer_in', ...SINGLE }),
        'approved 9000, 00 | 0 | 0 | 109000 | 109000 | settled | 0/0 | S→C 9000 | –',
      ],
      [refundReversal(rowName(1), 9_000n), 'posted | 0 | 0 | 100000 | 100000 | reversed | 0/0 | C→S 9000 | –'],
    ],
  },
];
