import { z } from 'zod';
import type { GroupLimits } from '../../api/group-limits.ts';
import * as shown from '../../api/schemas/shown.ts';

const whole = (description: string) => z.number().int().meta({ description });

const limits = z.object({
  object: z.literal('limits'),
  livemode: shown.livemode,
  requests_per_second: z
    .object({
      writes: whole('Points a second of this key; keys without a limit of their own share that of the book.'),
      reads: whole('Points a second.'),
      messages: whole('Points a second of the messages of processors, of the whole book.'),
      lookups: whole('Points a second of `POST /v1/payouts/resolve`, of the whole book.'),
    })
    .meta({ description: 'How often a key may ask.' }),
  points: z
    .object({
      request: whole('Of every request.'),
      body_bytes_per_point: whole(
        'A point more for so many bytes of a body, each time that they are full. They count before they are read.',
      ),
      metadata_filter: whole(
        'Points more for each `metadata[key]` of a list. What is refused for its form takes none of these.',
      ),
    })
    .meta({ description: 'How rates are counted. A request never takes more points than a second has.' }),
  in_flight: z
    .object({
      requests: whole('Not counted while `Prefer: wait` holds them.'),
      held: whole('Held by `Prefer: wait` without being counted; those beyond are.'),
      bytes: whole('Of bodies, and of answers until they are read.'),
      process_bytes: whole('Of all books together. A book that holds as much as is left free of them gets 503.'),
    })
    .meta({ description: 'What a book may have under way at once in one process; beyond it 429 with Retry-After.' }),
  amount: z
    .object({ minimum: whole('The least that moves.'), maximum: whole('The most of one request.') })
    .meta({ description: "Amounts in requests, in the currency's smallest unit." }),
  body: z
    .object({
      bytes: whole('Of the whole body.'),
      chunk_bytes: whole('What a chunk of a body without Content-Length counts for at least.'),
      depth: whole('Levels of arrays and objects.'),
      members: whole('Members of objects and elements of arrays, all levels together.'),
    })
    .meta({ description: 'Of the body of a request.' }),
  query_parameters: whole('Of a request target, repeated ones counted each.'),
  errors: whole('Errors in one answer.'),
  answer_seconds: whole('An answer that is not read within this time ends its connection.'),
  page: z
    .object({
      default: whole('Objects, without `limit`.'),
      maximum: whole('The largest `limit`.'),
      bytes: whole('A page ends with the object whose texts take it beyond this.'),
      rows_read: whole(
        'Objects that the filters of a page look at, fewer with several pairs; a page that they do not fill is short.',
      ),
      timeout_ms: whole('After it a read is given up: 503, and `detail` says what to narrow.'),
    })
    .meta({ description: 'Of lists.' }),
  metadata: z
    .object({
      keys: whole('Of one object.'),
      key_characters: whole('Of a key.'),
      value_characters: whole('Of a value.'),
      filters: whole('Of a list, by `metadata[key]`.'),
    })
    .meta({ description: 'Of metadata.' }),
  characters: z
    .object({
      name: whole('Of a `name`.'),
      description: whole('Of a `description`.'),
      external_id: whole('Of an `external_id`.'),
      idempotency_key: whole('Of an Idempotency-Key.'),
    })
    .meta({ description: 'The longest texts, in characters.' }),
  wait_seconds: whole('Prefer: wait.'),
  idempotency: z
    .object({
      answer_kept_days: whole('After it the answer is dropped; the key never pays twice all the same.'),
    })
    .meta({ description: 'Of Idempotency-Keys.' }),
});

export function limitsWith(ofGroups: readonly GroupLimits[]): z.ZodType {
  const sections = Object.fromEntries(ofGroups.map(({ name, schema }) => [name, schema]));
  return limits.extend(sections).meta({ id: 'Limits' });
}
