/** The `webhooks` section: the events that groups declare, with the object of each. */
import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { z } from 'zod';
import type { EventDocument } from '../api/event-document.ts';
import { eventOf } from '../api/schemas/events.ts';

const SIGNATURE_HEADERS = {
  'webhook-id': 'The id of the event, the same on every try.',
  'webhook-timestamp': 'Seconds since 1970 of this try.',
  'webhook-signature':
    '`v1,` and the HMAC-SHA256 over `id.timestamp.body` in base64 (Standard Webhooks); several, separated by spaces, while a secret is being rotated.',
};

export function registerEvents(registry: OpenAPIRegistry, documents: readonly EventDocument[]): void {
  const schemas = new Map<string, z.ZodType>();
  for (const { names, object, schemaName, notes } of documents) {
    const schema = schemas.get(schemaName) ?? eventOf(object).meta({ id: schemaName });
    schemas.set(schemaName, schema);
    for (const name of names) {
      registry.registerWebhook({
        method: 'post',
        path: name,
        operationId: `on_${name.replace('.', '_')}`,
        summary: name,
        description: notes?.[name],
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
