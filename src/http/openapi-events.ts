/** The `webhooks` section: the events that groups declare, with the object of each. */
import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { EventDocument } from '../api/event-document.ts';
import { eventOf } from '../api/schemas/events.ts';
import { type Examples, examplesOf } from './openapi-examples.ts';

const SIGNATURE_HEADERS = {
  'webhook-id': 'The id of the event, the same on every try.',
  'webhook-timestamp': 'Seconds since 1970 of this try.',
  'webhook-signature':
    '`v1,` and the HMAC-SHA256 over `id.timestamp.body` in base64 (Standard Webhooks); several, separated by spaces, while a secret is being rotated.',
};

/** One webhook a type of event. Its `type` is one of those that share its object. */
export function registerEvents(
  registry: OpenAPIRegistry,
  documents: readonly EventDocument[],
  recorded: Examples = {},
): void {
  for (const { names, object, schemaName, when } of documents) {
    const schema = eventOf(object, names).meta({ id: schemaName });
    for (const name of names) {
      registry.registerWebhook({
        method: 'post',
        path: name,
        operationId: `on_${name.replaceAll('.', '_')}`,
        summary: name,
        description: when[name],
        security: [],
        parameters: Object.entries(SIGNATURE_HEADERS).map(([header, description]) => ({
          name: header,
          in: 'header' as const,
          required: true,
          description,
          schema: { type: 'string' as const },
        })),
        request: {
          body: {
            required: true,
            content: { 'application/json': { schema, ...examplesOf(recorded[name] && { [name]: recorded[name] }) } },
          },
        },
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
