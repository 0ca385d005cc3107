import { z } from 'zod';
import type { GroupLimits } from '../../../api/group-limits.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { formatInstantOrNull } from '../../../values/clock.ts';
import { LIMIT_WINDOWS } from '../payout-counter.ts';
import { readUsages } from '../payout-usage.ts';

const usage = z
  .object({
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    window: shown.oneOf(LIMIT_WINDOWS, { description: 'What it limits: one payout, those of a day or of a month.' }),
    limit: shown.money('How much may leave the book, without fees.'),
    used: shown.money('What payouts have used. What failed or was canceled is not in it; what was returned is.'),
    resets_at: shown
      .time('When the day or the month ends, in the time zone of the book; null for one payout.')
      .nullable(),
  })
  .meta({ id: 'PayoutLimit', description: 'A limit of payouts in a currency, as the operator has set it.' });

export const payoutLimits: GroupLimits = {
  name: 'payouts',
  schema: z.array(usage).meta({ description: 'Of payouts of the book; empty where nothing limits them.' }),
  async read(_config, { runtime, principal }) {
    const settings = runtime.railSettings;
    const limits = settings.limits[principal.mode];
    const usages = await readUsages(runtime.pool, { bookId: principal.bookId, limits, wall: runtime.clock.now() });
    return usages.map(({ currency, exponent, window, limit, used, resetsAt }) => ({
      currency,
      currency_exponent: exponent,
      window,
      limit,
      used,
      resets_at: formatInstantOrNull(resetsAt),
    }));
  },
};
