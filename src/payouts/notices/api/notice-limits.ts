import { z } from 'zod';
import type { GroupLimits } from '../../../api/group-limits.ts';

export const noticeLimits: GroupLimits = {
  name: 'rail_notices',
  schema: z
    .object({
      kept_days: z.number().int().meta({ description: "A rail's notice, once it was taken. What it said is kept." }),
    })
    .meta({ description: 'Of what rails report.' }),
  read: ({ NOTICE_RETENTION_DAYS }) => ({ kept_days: NOTICE_RETENTION_DAYS }),
};
