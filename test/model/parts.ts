/** The parts of the model, in the order in which actions are drawn. A group adds its line here. */

import type { Part } from './part.ts';
import { accountHoldsPart } from './parts/account-holds/part.ts';
import { accountsPart } from './parts/accounts/part.ts';
import { batchesPart } from './parts/batches/part.ts';
import { cardsPart } from './parts/cards/part.ts';
import { entriesPart } from './parts/entries/part.ts';
import { holdsPart } from './parts/holds/part.ts';
import { keysPart } from './parts/keys/part.ts';
import { paymentsPart } from './parts/payments/part.ts';
import { payoutsPart } from './parts/payouts/part.ts';

export const PARTS: readonly Part[] = [
  accountsPart,
  payoutsPart,
  batchesPart,
  entriesPart,
  holdsPart,
  accountHoldsPart,
  paymentsPart,
  cardsPart,
  keysPart,
];
