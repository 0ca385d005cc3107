/** The `webhooks` section: the events that groups declare, with the object of each, and one schema for all of them. */
import type { OpenAPIRegistry, RouteConfig } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import type { EventDocument } from '../../api/event-document.ts';
import { eventOf } from '../../api/schemas/events.ts';
import { type Examples, examplesOf } from './openapi-examples.ts';

const SIGNATURE_HEADERS = {
  'webhook-id': 'The id of the event, the same on every try.',
  'webhook-timestamp': 'Seconds since 1970 of this try.',
  'webhook-signature':
    '`v1,` and the HMAC-SHA256 over `id.timestamp.body` in base64 (Standard Webhooks); several, separated by spaces, while a secret is being rotated.',
};

const parameters = Object.entries(SIGNATURE_HEADERS).map(([header, description]) => ({
  name: header,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
}));

const responses = {
  '2XX': {
    description:
      'Taken. Anything else is tried again, ten tries in all within four days; while an endpoint takes nothing, its deliveries wait without being tried.',
  },
  '410': { description: 'Gone: the endpoint is disabled, and nothing more is sent to it.' },
};

/** The body of any webhook. */
const ANY_WEBHOOK = 'WebhookEvent';

/** One webhook a type of event. Returns a schema of any of them, discriminated by `type`; none without events. */
export function registerEvents(
  registry: OpenAPIRegistry,
  documents: readonly EventDocument[],
  recorded: Examples = {},
): z.ZodType[] {
  const schemas = documents.map(({ names, object, schemaName }) =>
    eventOf(object, names, schemaName).meta({
      id: schemaName,
      description: `What a webhook of \`${names.join('`, `')}\` carries.`,
    }),
  );
  for (const [at, { names, summary, when }] of documents.entries()) {
    for (const name of names) {
      registry.registerWebhook({
        method: 'post',
        path: name,
        operationId: `on_${name.replaceAll('.', '_')}`,
        summary: summary[name],
        description: when[name],
        security: [],
        parameters,
        request: {
          body: {
            required: true,
            content: {
              'application/json': { schema: schemas[at]!, ...examplesOf(recorded[name] && { [name]: recorded[name] }) },
            },
          },
        },
        responses,
      });
    }
  }
  const [first, ...others] = schemas;
  if (first === undefined) return [];
  return [
    z.discriminatedUnion('type', [first, ...others]).meta({
      id: ANY_WEBHOOK,
      description:
        'What a webhook carries: an event of one of these types, told apart by `type`. Later releases add types: answer those that you do not know with 2xx.',
    }),
  ];
}

/** What follows from an endpoint that a request makes: `url` is where in the request its URL stands. */
export function callbackOf(url: string): RouteConfig['callbacks'] {
  return {
    event: {
      [`{${url}}`]: {
        post: {
          operationId: 'onEvent',
          summary: 'An event is delivered',
          description:
            'Every event that the endpoint takes (`events`), and test events. The section of webhooks has each type on its own.',
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: `#/components/schemas/${ANY_WEBHOOK}` } } },
          },
          responses,
        },
      },
    },
  };
}
