import { z } from 'zod';
import type { GroupLimits } from '../../../api/group-limits.ts';
import { LIMITS_MAX, LIST_MAX } from '../../controls/content-errors.ts';
import { CARDS_PER_LINE_MAX, TOKENS_PER_LINE_MAX } from '../../lines/line.ts';

const whole = (description: string) => z.number().int().meta({ description });

export const cardLimits: GroupLimits = {
  name: 'cards',
  schema: z
    .object({
      replacements: whole('Cards that replace one another, the first one included.'),
      tokens: whole('Of a card and those that replace it, without deactivated ones.'),
      limits: whole('Of a version of controls.'),
      list_entries: whole('Of each list of controls.'),
    })
    .meta({ description: 'Of cards.' }),
  read: () => ({
    replacements: CARDS_PER_LINE_MAX,
    tokens: TOKENS_PER_LINE_MAX,
    limits: LIMITS_MAX,
    list_entries: LIST_MAX,
  }),
};
