/** The exception as its event shows it: what a rail said that the books cannot follow by themselves. */
import { z } from 'zod';
import * as shown from '../../api/schemas/shown.ts';

export const exception = z
  .object({
    id: shown.id('exception'),
    object: z.literal('exception'),
    kind: z.string().meta({ example: 'paid_after_failed' }),
    detail: z.string().meta({ description: 'What happened, for people.' }),
    payout: shown.id('payout', 'The payout that it is about.'),
    status: z.literal('open'),
    created_at: shown.time(),
  })
  .meta({ id: 'Exception' });
