/** The parts of the schedule, in the order in which requests are drawn. A group adds its line here. */
import type { SchedulePart } from './part.ts';
import { accountHoldsPart } from './parts/account-holds.ts';
import { accountsPart } from './parts/accounts.ts';
import { keysPart } from './parts/keys.ts';
import { pausesPart } from './parts/pauses.ts';
import { payoutsPart } from './parts/payouts.ts';
import { webhooksPart } from './parts/webhooks.ts';

export const SCHEDULE_PARTS: readonly SchedulePart[] = [
  payoutsPart,
  pausesPart,
  accountsPart,
  accountHoldsPart,
  keysPart,
  webhooksPart,
];
