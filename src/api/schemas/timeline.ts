import { z } from 'zod';
import * as shown from './shown.ts';

const item = z.strictObject({
  at: shown.time(),
  event: shown.id('event'),
  type: z.string().meta({ example: 'payout.paid' }),
  status: z.string().nullable().meta({ description: 'The status it went to.' }),
  reason: z.unknown().meta({ description: 'Why, where there is a why: the failure of a payout.' }),
  previous_attributes: z.record(z.string(), z.unknown()),
  actor: z
    .string()
    .meta({ description: 'Who caused it: an API key, or the part of the product that acted on its own.' }),
  request_id: shown.id('request'),
  journal_entries: z.array(shown.id('entry')),
  webhook_attempts: z.array(
    z.strictObject({
      endpoint: shown.id('webhookEndpoint'),
      attempt: z.number().int(),
      at: shown.time(),
      duration_ms: z.number().int(),
      status: z.number().int().nullable(),
      error: z.string().nullable(),
    }),
  ),
});

export const timeline = z
  .strictObject({ object: z.literal('timeline'), data: z.array(item) })
  .meta({ id: 'Timeline', description: 'Every change of state of one object, oldest first.' });
