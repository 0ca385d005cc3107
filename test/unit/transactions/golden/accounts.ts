/** Golden scenarios, section H: accounts that are closed or frozen. The tables are in words; the cells that they leave out follow from the rule. */
import { authorization, clearing, expiry, refund } from '../messages.ts';
import type { Scenario } from './scenario.ts';

export const ACCOUNTS: readonly Scenario[] = [
  {
    name: 'G88 clearing on a closed account',
    start: { account: { posted: 14_000n } },
    rows: [
      [authorization(5_000n), 'approved 5000, 00 | 5000 | 0 | 14000 | 9000 | pending | 5000/1 | – | –'],
      [
        { says: authorization(9_000n), of: 'other' },
        'approved 9000, 00 | 9000 | 0 | 14000 | 0 | pending | 9000/1 | – | –',
      ],
      [{ says: clearing(9_000n), of: 'other' }, 'posted | 0 | 0 | 5000 | 0 | settled | 9000/1 | C→S 9000 | –'],
      [expiry(), 'expired | 0 | 0 | 5000 | 5000 | expired | 0/0 | – | –'],
      [
        { says: authorization(5_000n), of: 'third' },
        'approved 5000, 00 | 5000 | 0 | 5000 | 0 | pending | 5000/1 | – | –',
      ],
      [{ says: clearing(5_000n), of: 'third' }, 'posted | 0 | 0 | 0 | 0 | settled | 5000/1 | C→S 5000 | –'],
      [{ accountIs: 'closed' }, 'closed | 0 | 0 | 0 | 0 | expired | 0/0 | – | –'],
      [
        clearing(5_000n),
        'posted | 0 | 0 | -5000 | -5000 | settled | 5000/1 | C→S 5000 | late, below_floor, account_closed; exception clearing_account_closed',
      ],
      [
        refund(3_000n),
        'posted | 0 | 0 | -2000 | -2000 | settled | 5000/1 | S→C 3000 | account_closed; exception refund_account_closed 0',
      ],
      [
        { says: refund(4_000n), of: 'other' },
        'posted | 0 | 0 | 2000 | 2000 | settled | 9000/1 | S→C 4000 | account_closed; exception refund_account_closed 2000',
      ],
    ],
  },
  {
    name: 'G89 clearing on a frozen account',
    rows: [
      [authorization(5_000n), 'approved 5000, 00 | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –'],
      [{ accountIs: 'frozen' }, 'frozen | 5000 | 0 | 100000 | 95000 | pending | 5000/1 | – | –'],
      [
        { says: authorization(1n), of: 'other' },
        'declined account_frozen, 62 | 0 | 0 | 100000 | 95000 | declined | 0/0 | – | –',
      ],
      [clearing(5_000n), 'posted | 0 | 0 | 95000 | 95000 | settled | 5000/1 | C→S 5000 | account_frozen'],
    ],
  },
];
