/** What the golden scenarios leave open, in their form: contradictions, repeats and fees between them. */
import { expect, test } from 'vitest';
import { FURTHER_CLEARINGS } from './golden/further-clearings.ts';
import { FURTHER_CREDITS } from './golden/further-credits.ts';
import { FURTHER_REQUESTS } from './golden/further-requests.ts';
import { GoldenPlay } from './golden/play.ts';
import { REPEATED_CLEARINGS } from './golden/repeated-clearings.ts';
import { CASH_FEE, rowName, type Scenario } from './golden/scenario.ts';
import {
  advice,
  authorization,
  cash,
  clearing,
  clearingReversal,
  eur,
  expiry,
  increment,
  piece,
  refund,
  refundRequest,
  refundReversal,
  reversal,
  SINGLE,
} from './messages.ts';

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'cleared although the network had declined it',
    rows: [
      [authorization(800n), 'approved 800, 00 | 800 | 0 | 100000 | 99200 | pending | 800/1 | – | –'],
      [
        advice('stand_in', 0n, { isApproved: false }),
        'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | stand_in',
      ],
      [
        clearing(800n),
        'posted | 0 | 0 | 99200 | 99200 | settled | 800/1 | C→S 800 | late; exception clearing_after_decline',
      ],
    ],
  },
  {
    name: 'declined by the network, and never asked of us',
    rows: [
      [
        advice('stand_in', 0n, { isApproved: false }),
        'recorded | 0 | 0 | 100000 | 100000 | declined | 0/0 | – | stand_in',
      ],
    ],
  },
  {
    name: 'reversed by its whole amount, and cleared',
    rows: [
      [authorization(800n), 'approved 800, 00 | 800 | 0 | 100000 | 99200 | pending | 800/1 | – | –'],
      [reversal(800n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [increment(100n), 'declined authorization_closed, 12 | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [
        advice('stand_in', 100n, { of: 'increment' }),
        'recorded | 100 | 0 | 100000 | 99900 | pending | 100/1 | – | stand_in',
      ],
      [reversal(100n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [
        clearing(800n),
        'posted | 0 | 0 | 99200 | 99200 | settled | 800/1 | C→S 800 | late, over_cleared; exception clearing_after_reversal',
      ],
    ],
  },
  {
    name: 'a declined purchase is reversed by a reversal',
    start: { account: { posted: 0n } },
    rows: [
      [authorization(800n), 'declined insufficient_funds, 51 | 0 | 0 | 0 | 0 | declined | 0/0 | – | –'],
      [reversal(), 'recorded | 0 | 0 | 0 | 0 | reversed | 0/0 | – | –'],
      [authorization(800n), 'declined already_reversed, 12 | 0 | 0 | 0 | 0 | reversed | 0/0 | – | –'],
    ],
  },
  {
    name: 'an increment of an open settled purchase',
    rows: [
      [authorization(800n), 'approved 800, 00 | 800 | 0 | 100000 | 99200 | pending | 800/1 | – | –'],
      [clearing(800n, { isFinal: false }), 'posted | 0 | 0 | 99200 | 99200 | settled | 800/1 | C→S 800 | –'],
      [increment(100n), 'approved 100, 00 | 100 | 0 | 99200 | 99100 | pending | 900/1 | – | –'],
      [clearing(100n), 'posted | 0 | 0 | 99100 | 99100 | settled | 900/1 | C→S 100 | –'],
      [increment(100n), 'declined authorization_closed, 12 | 0 | 0 | 99100 | 99100 | settled | 900/1 | – | –'],
    ],
  },
  {
    name: 'a pump that sold nothing, and cleared',
    start: { mcc: '5542', holdsFuel: true },
    rows: [
      [authorization(100n), 'approved 100, 00 | 10000 | 0 | 100000 | 90000 | pending | 10000/1 | – | fuel'],
      [advice('completion', 0n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [
        clearing(4_200n),
        'posted | 0 | 0 | 95800 | 95800 | settled | 4200/1 | C→S 4200 | late, over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'a reversal of a clearing takes back its part of the fee',
    start: { fees: CASH_FEE },
    rows: [
      [cash(900n), 'approved 900, 00 | 900 | 300 | 100000 | 98800 | pending | 900/1 | – | –'],
      [clearing(400n, { isFinal: false }), 'posted | 500 | 0 | 99300 | 98800 | pending | 900/1 | C→S 400; C→D 300 | –'],
      [clearingReversal(rowName(2), 100n), 'posted | 500 | 0 | 99400 | 98900 | pending | 800/1 | S→C 100 | –'],
      [clearingReversal(rowName(2)), 'posted | 500 | 300 | 100000 | 99200 | pending | 500/1 | S→C 300; D→C 300 | –'],
      [clearingReversal(rowName(2)), 'posted | 500 | 300 | 100000 | 99200 | pending | 500/1 | – | –'],
    ],
  },
  {
    name: 'a clearing with a fee whose reversal came first books both ways',
    start: { fees: CASH_FEE },
    rows: [
      [clearingReversal(rowName(2)), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [
        clearing(400n, { kind: 'cash' }),
        'posted | 0 | 0 | 100000 | 100000 | reversed | 0/0 | C→S 400; C→D 300; S→C 400; D→C 300 | forced',
      ],
    ],
  },
  {
    name: 'a refund reversal comes first',
    rows: [
      [refundReversal(rowName(2), 500n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [refund(700n), 'posted | 0 | 0 | 100200 | 100200 | settled | 0/0 | S→C 700; C→S 500 | unmatched'],
    ],
  },
  {
    name: 'a single message whose reversal of a part came first',
    start: { fees: CASH_FEE },
    rows: [
      [reversal(300n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [cash(900n, SINGLE), 'approved 900, 00 | 0 | 0 | 99100 | 99100 | settled | 600/1 | C→S 600; C→D 300 | –'],
    ],
  },
  {
    name: 'a push to card and its reversals',
    rows: [
      [
        authorization(900n, { kind: 'transfer_in', ...SINGLE }),
        'approved 900, 00 | 0 | 0 | 100900 | 100900 | settled | 0/0 | S→C 900 | –',
      ],
      [reversal(200n), 'recorded | 0 | 0 | 100700 | 100700 | settled | 0/0 | C→S 200 | –'],
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | C→S 700 | –'],
    ],
  },
  {
    name: 'a push to card whose reversal came first',
    rows: [
      [reversal(), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [
        authorization(900n, { kind: 'transfer_in', ...SINGLE }),
        'declined already_reversed, 12 | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –',
      ],
    ],
  },
  {
    name: 'an announced refund that is taken back, and posted all the same',
    rows: [
      [refundRequest(500n), 'approved 500, 00 | 0 | 0 | 100000 | 100000 | pending | 0/0 | – | –'],
      [reversal(200n), 'recorded | 0 | 0 | 100000 | 100000 | pending | 0/0 | – | –'],
      [reversal(300n), 'recorded | 0 | 0 | 100000 | 100000 | reversed | 0/0 | – | –'],
      [refund(500n), 'posted | 0 | 0 | 100500 | 100500 | settled | 0/0 | S→C 500 | late'],
    ],
  },
  {
    name: 'the second of two pieces of another count closes nothing, an explicit end does',
    rows: [
      [authorization(900n), 'approved 900, 00 | 900 | 0 | 100000 | 99100 | pending | 900/1 | – | –'],
      [piece(100n, 1, 2), 'posted | 800 | 0 | 99900 | 99100 | pending | 900/1 | C→S 100 | –'],
      [piece(100n, 2, 3), 'posted | 700 | 0 | 99800 | 99100 | pending | 900/1 | C→S 100 | –'],
      [
        clearing(100n, { sequence: { number: 3, count: 3 }, isFinal: true }),
        'posted | 0 | 0 | 99700 | 99700 | settled | 300/1 | C→S 100 | –',
      ],
    ],
  },
  {
    name: 'a piece that came again after it was reversed is no repetition',
    rows: [
      [authorization(900n), 'approved 900, 00 | 900 | 0 | 100000 | 99100 | pending | 900/1 | – | –'],
      [piece(300n, 1, 3), 'posted | 600 | 0 | 99700 | 99100 | pending | 900/1 | C→S 300 | –'],
      [clearingReversal(rowName(2)), 'posted | 600 | 0 | 100000 | 99400 | pending | 600/1 | S→C 300 | –'],
      [piece(300n, 1, 3), 'posted | 300 | 0 | 99700 | 99400 | pending | 600/1 | C→S 300 | –'],
    ],
  },
  {
    name: 'two merchant currencies are measured in the account currency',
    rows: [
      [
        authorization(900n, { merchant: eur(800n) }),
        'approved 900, 00 | 900 | 0 | 100000 | 99100 | pending | 900/1 | – | –',
      ],
      [
        clearing(400n, { merchant: { amount: 60_000n, currency: 'JPY' }, isFinal: false }),
        'posted | 500 | 0 | 99600 | 99100 | pending | 900/1 | C→S 400 | –',
      ],
    ],
  },
  {
    name: 'a single message in another currency, and a part of it reversed',
    rows: [
      [
        cash(900n, { merchant: eur(700n), ...SINGLE }),
        'approved 900, 00 | 0 | 0 | 99100 | 99100 | settled | 900/1 | C→S 900 | –',
      ],
      [reversal(300n, eur(233n)), 'recorded | 0 | 0 | 99400 | 99400 | settled | 600/1 | S→C 300 | –'],
    ],
  },
  {
    name: 'a refund of what expired uncleared',
    rows: [
      [authorization(900n), 'approved 900, 00 | 900 | 0 | 100000 | 99100 | pending | 900/1 | – | –'],
      [expiry(), 'expired | 0 | 0 | 100000 | 100000 | expired | 0/0 | – | –'],
      [refund(900n), 'posted | 0 | 0 | 100900 | 100900 | settled | 0/0 | S→C 900 | exception refund_exceeds_cleared'],
    ],
  },
  {
    name: 'two disputes: a refund takes back the newest credit first, and a credit that was won stays',
    rows: [
      [clearing(1_000n), 'posted | 0 | 0 | 99000 | 99000 | settled | 1000/1 | C→S 1000 | forced'],
      [{ disputes: 300n }, 'submitted | 0 | 0 | 99300 | 99300 | settled | 1000/1 | S→C 300 | –'],
      [{ ends: 'won' }, 'won | 0 | 0 | 99300 | 99300 | settled | 1000/1 | – | –'],
      [{ disputes: 200n }, 'submitted | 0 | 0 | 99500 | 99500 | settled | 1000/1 | S→C 200 | –'],
      [{ disputes: 500n }, 'submitted | 0 | 0 | 100000 | 100000 | settled | 1000/1 | S→C 500 | –'],
      [refund(600n), 'posted | 0 | 0 | 100000 | 100000 | settled | 1000/1 | S→C 600; C→S 600 | –'],
      [refund(400n), 'posted | 0 | 0 | 100300 | 100300 | settled | 1000/1 | S→C 400; C→S 100 | –'],
    ],
  },
  {
    name: 'of two credits a refund takes the newer one first',
    rows: [
      [clearing(1_000n), 'posted | 0 | 0 | 99000 | 99000 | settled | 1000/1 | C→S 1000 | forced'],
      [{ disputes: 400n }, 'submitted | 0 | 0 | 99400 | 99400 | settled | 1000/1 | S→C 400 | –'],
      [{ disputes: 600n }, 'submitted | 0 | 0 | 100000 | 100000 | settled | 1000/1 | S→C 600 | –'],
      [refund(500n), 'posted | 0 | 0 | 100000 | 100000 | settled | 1000/1 | S→C 500; C→S 500 | –'],
      [{ ends: 'lost' }, 'lost | 0 | 0 | 99900 | 99900 | settled | 1000/1 | C→S 100 | –'],
    ],
  },
  {
    name: 'the tolerance is rounded down',
    start: { mcc: '5812' },
    rows: [
      [authorization(5_001n), 'approved 5001, 00 | 5001 | 0 | 100000 | 94999 | pending | 5001/1 | – | –'],
      [clearing(6_001n), 'posted | 0 | 0 | 93999 | 93999 | settled | 6001/1 | C→S 6001 | over_cleared'],
      [
        clearing(1n),
        'posted | 0 | 0 | 93998 | 93998 | settled | 6002/1 | C→S 1 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
  {
    name: 'refunded between opening and submitting: credited once',
    rows: [
      [clearing(1_000n), 'posted | 0 | 0 | 99000 | 99000 | settled | 1000/1 | C→S 1000 | forced'],
      [{ opens: 1_000n }, 'opened | 0 | 0 | 99000 | 99000 | settled | 1000/1 | – | –'],
      [refund(400n), 'posted | 0 | 0 | 99400 | 99400 | settled | 1000/1 | S→C 400 | –'],
      [{ ends: 'submitted' }, 'submitted | 0 | 0 | 100000 | 100000 | settled | 1000/1 | S→C 600 | –'],
      [{ ends: 'withdrawn' }, 'withdrawn | 0 | 0 | 99400 | 99400 | settled | 1000/1 | C→S 600 | –'],
    ],
  },
  {
    name: 'a lost dispute of a closed account is debited all the same',
    start: { account: { posted: 1_000n } },
    rows: [
      [clearing(1_000n), 'posted | 0 | 0 | 0 | 0 | settled | 1000/1 | C→S 1000 | forced'],
      [{ accountIs: 'closed' }, 'closed | 0 | 0 | 0 | 0 | settled | 1000/1 | – | –'],
      [
        { disputes: 300n },
        'submitted | 0 | 0 | 300 | 300 | settled | 1000/1 | S→C 300 | account_closed; exception dispute_account_closed 300',
      ],
      [
        { ends: 'lost' },
        'lost | 0 | 0 | 0 | 0 | settled | 1000/1 | C→S 300 | account_closed; exception dispute_account_closed 0',
      ],
    ],
  },
];

const FURTHER = [...FURTHER_REQUESTS, ...FURTHER_CLEARINGS, ...REPEATED_CLEARINGS, ...FURTHER_CREDITS];

test.each([...SCENARIOS, ...FURTHER].map((scenario) => [scenario.name, scenario] as const))('%s', (_name, scenario) => {
  const play = new GoldenPlay(scenario);
  expect(scenario.rows.map(([action]) => play.play(action))).toEqual(scenario.rows.map(([, expected]) => expected));
});
