import { z } from 'zod';
import { errorCode } from '../../api/schemas/problem.ts';
import * as shown from '../../api/schemas/shown.ts';

export const idempotencyKey = z
  .object({
    object: z.literal('idempotency_key'),
    livemode: shown.livemode,
    key: z.string().meta({ description: 'The key itself.', example: 'order-1041' }),
    status: shown.oneOf(['succeeded', 'refused', 'voided'], {
      description: 'What became of the request: done, refused for good, or voided before it came.',
    }),
    response_status: z.number().int().nullable().meta({
      description: 'HTTP status of its acceptance or refusal: 202 also where the answer waited, and was 201.',
    }),
    code: shown.orNull(errorCode).meta({ description: 'Why it was refused, while the answer is kept.' }),
    resource: z.string().nullable().meta({ description: 'What the key stands for.', example: 'payout' }),
    resource_id: z.string().nullable().meta({ description: 'Its id: read it for its present state.' }),
    request_id: shown.id('request', 'The request that came first.'),
    voided_at: shown.time('When it was voided, in wall time; null unless it was.').nullable(),
    created_at: shown.time('When it came first, in wall time.'),
  })
  .meta({ id: 'IdempotencyKey', description: 'What became of the request under a key.' });
