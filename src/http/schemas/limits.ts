import { z } from 'zod';
import * as shown from './shown.ts';

const whole = (description?: string) => z.number().int().meta({ description });

export const limits = z
  .strictObject({
    object: z.literal('limits'),
    livemode: shown.livemode,
    requests_per_second: z.strictObject({
      writes: whole('Of this key; keys without a limit of their own share that of the book.'),
      reads: whole(),
    }),
    amount: z.strictObject({ minimum: whole(), maximum: whole() }),
    body: z.strictObject({ bytes: whole(), depth: whole('Levels of arrays and objects.') }),
    page: z.strictObject({ default: whole(), maximum: whole() }),
    metadata: z.strictObject({ keys: whole(), key_characters: whole(), value_characters: whole() }),
    characters: z.strictObject({ name: whole(), description: whole(), external_id: whole(), idempotency_key: whole() }),
    wait_seconds: whole('Prefer: wait.'),
    idempotency: z.strictObject({
      answer_kept_days: whole('After it the answer is dropped; the key never pays twice all the same.'),
    }),
    webhooks: z.strictObject({
      endpoints: whole('Of a book.'),
      filters: whole('Of an endpoint.'),
      url_characters: whole(),
      tries: whole('Of a delivery.'),
    }),
  })
  .meta({ id: 'Limits' });
