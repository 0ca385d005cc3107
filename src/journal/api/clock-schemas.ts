/** Schemas of the clock of a test book. */
import { z } from 'zod';
import { instant } from '../../api/pages.ts';
import * as shown from '../../api/schemas/shown.ts';
import { type Duration, parseDuration } from '../duration.ts';

const duration = z
  .string()
  .transform((text, context): Duration => {
    const parsed = parseDuration(text);
    if (parsed) return parsed;
    context.issues.push({ code: 'custom', input: text, message: 'Expects a duration of ISO 8601, such as P2D.' });
    return z.NEVER;
  })
  .meta({
    type: 'string',
    format: 'duration',
    description: 'How much later, as ISO 8601 writes it. Years and months are those of the calendar, in UTC.',
    example: 'P2D',
  });

export const advance = z
  .strictObject({
    by: duration.optional(),
    to: instant.optional().meta({ description: 'When to, not before the clock’s own `now`.' }),
  })
  .check((context) => {
    const { by, to } = context.value;
    if ((by === undefined) !== (to === undefined)) return;
    const message = by === undefined ? 'Expects `by` or `to`.' : 'Cannot be combined with `to`.';
    context.issues.push({ code: 'custom', input: context.value, path: ['by'], message });
  })
  .meta({ id: 'AdvanceClock', example: { by: 'P2D' } });

export const clock = z
  .object({
    object: z.literal('clock'),
    livemode: shown.livemode,
    now: shown.time('The own time of the book.'),
    target: shown.time('Where it is on its way to; null when it is nowhere else.').nullable(),
    status: shown.oneOf(['idle', 'advancing'], {
      description: 'While it is `advancing`, every write to the book is refused.',
    }),
  })
  .meta({ id: 'Clock', description: 'The own time of a test book.' });
