import { z } from 'zod';
import type { GroupLimits } from '../../../api/group-limits.ts';
import { BACKTEST_TRANSACTIONS_MAX } from '../run-backtest.ts';

export const backtestLimits: GroupLimits = {
  name: 'card_backtests',
  schema: z
    .object({
      transactions: z
        .number()
        .int()
        .meta({ description: 'That one back-test folds, those that only fill its counters included.' }),
    })
    .meta({ description: 'Of back-tests of controls.' }),
  read: () => ({ transactions: BACKTEST_TRANSACTIONS_MAX }),
};
