/** Further rows: clearings that come twice under two references. Beside the golden scenarios, in their form. */
import { authorization, clearing, piece } from '../messages.ts';
import type { Scenario } from './scenario.ts';

export const REPEATED_CLEARINGS: readonly Scenario[] = [
  {
    name: 'a third final clearing repeats the second',
    rows: [
      [authorization(12_000n), 'approved 12000, 00 | 12000 | 0 | 100000 | 88000 | pending | 12000/1 | – | –'],
      [clearing(5_000n, { isFinal: true }), 'posted | 0 | 0 | 95000 | 95000 | settled | 5000/1 | C→S 5000 | –'],
      [clearing(4_000n), 'posted | 0 | 0 | 91000 | 91000 | settled | 9000/1 | C→S 4000 | –'],
      [
        clearing(4_000n),
        'posted | 0 | 0 | 87000 | 87000 | settled | 13000/1 | C→S 4000 | over_cleared; exception clearing_repeated',
      ],
    ],
  },
  {
    name: 'a final piece repeats the whole',
    rows: [
      [authorization(400n), 'approved 400, 00 | 400 | 0 | 100000 | 99600 | pending | 400/1 | – | –'],
      [clearing(400n), 'posted | 0 | 0 | 99600 | 99600 | settled | 400/1 | C→S 400 | –'],
      [
        clearing(400n, { sequence: { number: 1, count: 2 }, isFinal: true }),
        'posted | 0 | 0 | 99200 | 99200 | settled | 800/1 | C→S 400 | over_cleared; exception clearing_repeated',
      ],
    ],
  },
  {
    name: 'the only piece repeats the whole',
    rows: [
      [authorization(400n), 'approved 400, 00 | 400 | 0 | 100000 | 99600 | pending | 400/1 | – | –'],
      [clearing(400n), 'posted | 0 | 0 | 99600 | 99600 | settled | 400/1 | C→S 400 | –'],
      [
        piece(400n, 1, 1),
        'posted | 0 | 0 | 99200 | 99200 | settled | 800/1 | C→S 400 | over_cleared; exception clearing_repeated',
      ],
    ],
  },
  {
    name: 'the whole repeats a final piece',
    rows: [
      [authorization(400n), 'approved 400, 00 | 400 | 0 | 100000 | 99600 | pending | 400/1 | – | –'],
      [
        clearing(400n, { sequence: { number: 1, count: 2 }, isFinal: true }),
        'posted | 0 | 0 | 99600 | 99600 | settled | 400/1 | C→S 400 | –',
      ],
      [
        clearing(400n),
        'posted | 0 | 0 | 99200 | 99200 | settled | 800/1 | C→S 400 | over_cleared; exception clearing_repeated',
      ],
    ],
  },
  {
    name: 'the whole repeats the only piece',
    rows: [
      [authorization(400n), 'approved 400, 00 | 400 | 0 | 100000 | 99600 | pending | 400/1 | – | –'],
      [piece(400n, 1, 1), 'posted | 0 | 0 | 99600 | 99600 | settled | 400/1 | C→S 400 | –'],
      [
        clearing(400n),
        'posted | 0 | 0 | 99200 | 99200 | settled | 800/1 | C→S 400 | over_cleared; exception clearing_repeated',
      ],
    ],
  },
  {
    name: 'a final piece repeats another one',
    rows: [
      [authorization(400n), 'approved 400, 00 | 400 | 0 | 100000 | 99600 | pending | 400/1 | – | –'],
      [
        clearing(400n, { sequence: { number: 1, count: 2 }, isFinal: true }),
        'posted | 0 | 0 | 99600 | 99600 | settled | 400/1 | C→S 400 | –',
      ],
      [
        clearing(400n, { sequence: { number: 2, count: 2 }, isFinal: true }),
        'posted | 0 | 0 | 99200 | 99200 | settled | 800/1 | C→S 400 | over_cleared; exception clearing_repeated',
      ],
    ],
  },
  {
    name: 'a piece of several does not repeat the whole',
    rows: [
      [authorization(400n), 'approved 400, 00 | 400 | 0 | 100000 | 99600 | pending | 400/1 | – | –'],
      [clearing(400n), 'posted | 0 | 0 | 99600 | 99600 | settled | 400/1 | C→S 400 | –'],
      [
        piece(400n, 1, 2),
        'posted | 0 | 0 | 99200 | 99200 | settled | 800/1 | C→S 400 | over_cleared; exception clearing_exceeds_authorization',
      ],
    ],
  },
];
