/** The `webhooks` section: every event that this release sends, with the object of each. */
import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { z } from 'zod';
import { account } from '../accounts/api/account-schemas.ts';
import { erasedObject, eventOf } from '../api/schemas/events.ts';
import { exception } from '../payouts/api/exception-schemas.ts';
import { payout } from '../payouts/api/payout-schemas.ts';
import { webhook } from '../webhooks/api/webhook-schemas.ts';

/** Events that this release sends. A filter may already name events of later releases. */
const SENT: readonly { group: string; names: readonly string[]; object: z.ZodType; schemaName: string }[] = [
  {
    group: 'account',
    names: ['created', 'updated', 'frozen', 'unfrozen', 'closed'],
    object: account,
    schemaName: 'AccountEvent',
  },
  {
    group: 'payout',
    names: ['created', 'processing', 'paid', 'failed', 'canceled', 'returned'],
    object: payout,
    schemaName: 'PayoutEvent',
  },
  {
    group: 'reconciliation',
    names: ['exception_opened'],
    object: exception,
    schemaName: 'ExceptionEvent',
  },
  {
    group: 'webhook_endpoint',
    names: ['disabled', 'secret_rotated'],
    object: webhook,
    schemaName: 'WebhookEndpointEvent',
  },
  { group: 'personal_data', names: ['erased'], object: erasedObject, schemaName: 'PersonalDataEvent' },
  { group: 'webhook', names: ['test'], object: webhook, schemaName: 'WebhookEndpointEvent' },
];

const SIGNATURE_HEADERS = {
  'webhook-id': 'The id of the event, the same on every try.',
  'webhook-timestamp': 'Seconds since 1970 of this try.',
  'webhook-signature':
    '`v1,` and the HMAC-SHA256 over `id.timestamp.body` in base64 (Standard Webhooks); several, separated by spaces, while a secret is being rotated.',
};

export function registerEvents(registry: OpenAPIRegistry): void {
  const schemas = new Map<string, z.ZodType>();
  for (const { group, names, object, schemaName } of SENT) {
    const schema = schemas.get(schemaName) ?? eventOf(object).meta({ id: schemaName });
    schemas.set(schemaName, schema);
    for (const name of names) {
      registry.registerWebhook({
        method: 'post',
        path: `${group}.${name}`,
        operationId: `on_${group}_${name}`,
        summary: `${group}.${name}`,
        security: [],
        parameters: Object.entries(SIGNATURE_HEADERS).map(([header, description]) => ({
          name: header,
          in: 'header' as const,
          required: true,
          description,
          schema: { type: 'string' as const },
        })),
        request: { body: { required: true, content: { 'application/json': { schema } } } },
        responses: {
          '2XX': {
            description:
              'Taken. Anything else is tried again, ten tries in all within four days; while an endpoint takes nothing, its deliveries wait without being tried. 410 disables the endpoint.',
          },
        },
      });
    }
  }
}
