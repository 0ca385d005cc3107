import { z } from 'zod';
import * as shown from './shown.ts';

export const actor = z
  .object({
    type: z.enum(['person', 'service', 'operator', 'system']),
    id: z.string().nullable().meta({
      description:
        'Of a person `person_…`, of a service `svc_…`, of an operator the name, of the system the part that acted, such as `rail:sandbox`; null where there is none.',
    }),
    key: shown.id('apiKey').nullable().meta({ description: 'The API key that a person or a service acted with.' }),
  })
  .meta({ id: 'Actor', description: 'Who acted: the owner of an API key, an operator, or the product on its own.' });

const reason = z.union([
  z.object({
    code: z.string().optional(),
    message: z.string().optional(),
    rail_code: z.string().nullable().optional(),
    evidence: z.string().optional(),
    evidence_sha256: z.string().optional(),
  }),
  z.string(),
  z.null(),
]);

const item = z.object({
  at: shown.time(),
  event: shown.id('event'),
  type: z.string().meta({ example: 'payout.paid' }),
  status: z.string().nullable().meta({ description: 'The status it went to.' }),
  reason: reason.meta({
    description:
      'Why, where there is a why. Of a payout that failed an object with `code`, `message` and `rail_code`; of a payout that an operator ended one with `evidence` and `evidence_sha256`; of an exception the text of its explanation.',
  }),
  previous_attributes: z.record(z.string(), z.unknown()),
  actor,
  request_id: shown.id('request'),
  journal_entries: z.array(shown.id('entry')),
  webhook_attempts: z.array(
    z.object({
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
  .object({ object: z.literal('timeline'), data: z.array(item), ...shown.pageMembers })
  .meta({ id: 'Timeline', description: 'Every change of one object, oldest first.' });
