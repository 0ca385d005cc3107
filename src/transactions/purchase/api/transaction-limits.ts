import { z } from 'zod';
import type { GroupLimits } from '../../../api/group-limits.ts';
import { DISPUTES_MAX } from '../../disputes/dispute-store.ts';
import { MESSAGES_MAX } from '../../message/messages-store.ts';

const whole = (description: string) => z.number().int().meta({ description });

export const transactionLimits: GroupLimits = {
  name: 'transactions',
  schema: z
    .object({
      messages: whole('Of a transaction: it takes no further one, also no clearing or refund.'),
      disputes: whole('Of a transaction, whatever became of them.'),
    })
    .meta({ description: 'Of transactions.' }),
  read: () => ({ messages: MESSAGES_MAX, disputes: DISPUTES_MAX }),
};
