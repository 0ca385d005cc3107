import { z } from 'zod';
import { ERRORS } from '../../errors.ts';
import { id } from './shown.ts';

const code = z
  .enum(Object.keys(ERRORS) as [string, ...string[]])
  .meta({ description: 'One of the catalogue at /docs/errors.' });

/** Every error (RFC 9457). Not strict: typed facts stand beside these members. */
export const problem = z
  .looseObject({
    type: z.string().meta({
      description: 'A page of these docs about the code.',
      example: 'https://api.example.com/docs/errors/insufficient_funds',
    }),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code,
    param: z.string().optional().meta({
      description:
        'What is at fault: a JSON pointer (RFC 6901) into the body, or the name of a query parameter or header.',
      example: '/amount',
    }),
    errors: z
      .array(z.strictObject({ code, param: z.string().optional(), detail: z.string() }))
      .meta({ description: 'Every fault of the request, the first one being that of the answer.' }),
    request_id: id('request'),
    retryable: z
      .boolean()
      .meta({ description: 'Whether the same request, under the same Idempotency-Key, may succeed later.' }),
  })
  .meta({
    id: 'Problem',
    description:
      'What went wrong. Typed facts (`available`, `required`, `limit`, `current_status`, …) stand beside these members.',
  });
