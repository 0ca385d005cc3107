/** Schemas of webhook endpoints and deliveries. */
import { z } from 'zod';
import { instant } from '../../../api/pages.ts';
import { cardNumberIssue, description, metadata, refuseCardNumberInUrl } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { URL_LENGTH_MAX } from '../../../outside/connections/endpoint-url.ts';
import { hasCardNumber } from '../../../values/card-number.ts';
import { parsedUrl } from '../../../values/url.ts';
import { DELIVERY_TRANSITIONS, type DeliveryStatus } from '../../deliveries/delivery.ts';
import { eventFilter, eventFilterShown, eventType } from '../../events/api/event-schemas.ts';
import { EVENT_FILTERS_MAX } from '../../events/event-filter.ts';
import {
  ENDPOINT_ACTIONS,
  ROTATION_OVERLAP_DEFAULT_MS,
  ROTATION_OVERLAP_MAX_MS,
  SIGNATURES,
  type Signature,
} from '../endpoint.ts';
import { HEADER_VALUE_MAX, HEADERS_MAX, headerNameFault, headerValueFault } from '../endpoint-headers.ts';
import { type EndpointOptions, RATE_PER_SECOND_MAX } from '../endpoint-options.ts';

export const DELIVERY_STATUSES = Object.keys(DELIVERY_TRANSITIONS) as readonly DeliveryStatus[];

const url = z
  .string()
  .max(URL_LENGTH_MAX, { abort: true })
  .check((context) => {
    if (isHttpUrl(context.value)) return;
    context.issues.push({
      code: 'custom',
      input: context.value,
      message: 'Expects an http(s) URL such as https://example.com/webhooks.',
    });
  })
  .check(refuseCardNumberInUrl)
  .meta({
    format: 'uri',
    description: 'Only public addresses; https in live mode; ports as GET /v1/limits names them.',
    example: 'https://example.com/webhooks',
  });

function isHttpUrl(text: string): boolean {
  const protocol = parsedUrl(text)?.protocol;
  return protocol === 'https:' || protocol === 'http:';
}

const events = z
  .array(eventFilter)
  .min(1, 'Expects at least one event.')
  .max(EVENT_FILTERS_MAX, `Expects at most ${EVENT_FILTERS_MAX} events.`)
  .meta({ description: 'Which events are delivered: names, groups (`payout.*`) or `*`.' });

const rateLimit = z
  .strictObject({
    per_second: z.int().min(1).max(RATE_PER_SECOND_MAX).meta({
      description: 'Most requests that begin within any second, whatever process sends them.',
      example: 10,
    }),
  })
  .nullable()
  .meta({ id: 'WebhookRateLimitInput' });

const headers = z
  .record(z.string(), z.string())
  .check((context) => {
    const names = Object.keys(context.value);
    if (names.length > HEADERS_MAX) refuse(context, `Expects at most ${HEADERS_MAX} headers.`);
    const seen = new Set<string>();
    for (const name of names) {
      const value = context.value[name]!;
      const lower = name.toLowerCase();
      const fault = headerNameFault(name) ?? (seen.has(lower) ? 'Stands here twice.' : headerValueFault(value));
      seen.add(lower);
      if (fault) refuse(context, fault, [name]);
      else if (hasCardNumber(value) || hasCardNumber(name)) context.issues.push(cardNumberIssue(value, [name]));
    }
  })
  .meta({
    maxProperties: HEADERS_MAX,
    additionalProperties: { type: 'string', maxLength: HEADER_VALUE_MAX },
    description:
      'Sent with each delivery, such as credentials of a gateway in front of your receiver. All of them: what is left out ends. Not `Host`, those of the connection and of the form of the body, and not `webhook-…`.',
    example: { Authorization: 'Bearer 5f2c4e1a9b7d4c3e' },
  });

function refuse(context: { value: unknown; issues: object[] }, message: string, path?: PropertyKey[]): void {
  context.issues.push({ code: 'custom', input: context.value, message, ...(path && { path }) });
}

const signatures = z
  .array(z.enum(SIGNATURES as [Signature, ...Signature[]]))
  .min(1)
  .max(SIGNATURES.length)
  .meta({
    description:
      '`v1`: HMAC-SHA256 under the secret. `v1a`: Ed25519, to be verified by `public_key`; without it, its key pair ends.',
  });

const options = {
  headers: headers.optional(),
  rate_limit: rateLimit.optional().meta({ description: 'Null: as many as the endpoint takes.' }),
  ordered: z.boolean().optional().meta({
    description:
      'Events are delivered in their order: one at a time, and none before the one before it has arrived. An event that is not taken within its attempts disables the endpoint.',
  }),
  signatures: signatures.optional(),
};

/** The options of a body, as commands take them. */
export function optionsOf({
  headers,
  rate_limit: rate,
  ordered,
  signatures,
}: {
  headers?: Record<string, string> | undefined;
  rate_limit?: { per_second: number } | null | undefined;
  ordered?: boolean | undefined;
  signatures?: readonly Signature[] | undefined;
}): EndpointOptions {
  return {
    ...(headers !== undefined && { headers }),
    ...(rate !== undefined && { ratePerSecond: rate?.per_second ?? null }),
    ...(ordered !== undefined && { ordered }),
    ...(signatures !== undefined && { signatures }),
  };
}

export const createWebhook = z
  .strictObject({
    url,
    events: events.optional().meta({ description: 'Without it, all of them (`*`).' }),
    ...options,
    description: description.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreateWebhookEndpoint' });

export const createWebhookExample = { url: 'https://example.com/webhooks', events: ['payout.*'] };

export const updateWebhook = z
  .strictObject({
    url: url.optional(),
    events: events.optional(),
    ...options,
    description: description.optional(),
    metadata: metadata.optional().meta({ description: 'Takes the place of all that was there.' }),
  })
  .meta({ id: 'UpdateWebhookEndpoint', description: 'What is left out stays as it is.' });

export const webhook = z
  .object({
    id: shown.id('webhookEndpoint'),
    object: z.literal('webhook_endpoint'),
    livemode: shown.livemode,
    url: z.string().meta({ description: 'Where events are delivered to.', example: 'https://example.com/webhooks' }),
    description: shown.descriptionShown,
    events: z.array(eventFilterShown).meta({ description: 'Which events are delivered.' }),
    status: shown.oneOf(['enabled', 'disabled'], { description: 'Nothing is sent to a `disabled` endpoint.' }),
    disabled_reason: shown.oneOfOrNull(['requested', 'gone', 'failing'], {
      description:
        '`requested`: over the API. `gone`: it answered 410. `failing`: attempts of more than one event failed for five days, and none arrived, or an ordered endpoint did not take an event within its attempts. Null while it is enabled.',
    }),
    ordered: z.boolean().meta({ description: 'Whether events are delivered in their order, one at a time.' }),
    rate_limit: z
      .object({ per_second: z.number().int().meta({ description: 'Most requests that begin within any second.' }) })
      .meta({ id: 'WebhookRateLimit', description: 'How quickly an endpoint is sent events.' })
      .nullable()
      .meta({ description: 'Null: as many as the endpoint takes.' }),
    headers: z.record(z.string(), z.string()).meta({
      description: 'Custom headers, with masked values.',
      example: { Authorization: '****4c3e' },
    }),
    signatures: z.array(shown.oneOf(['v1', 'v1a'], { description: 'The kind of a signature.' })).meta({
      description: 'The signatures of each delivery.',
    }),
    public_key: z.string().nullable().meta({
      description: 'Verifies `v1a` signatures (Ed25519, 32 bytes in base64 behind `whpk_`); null without them.',
      example: 'whpk_6Xb2B2Dfh0qTQ0wEYRK4tD8fbrXjDlxTgLwFqPz3LbM=',
    }),
    failing_since: shown
      .time(
        'Since when attempts fail and none arrives, in wall time; null while they arrive. After five days without a failure it begins anew.',
      )
      .nullable(),
    previous_secrets: z
      .array(
        z
          .object({ expires_at: shown.time('Until when it signs, in wall time.') })
          .meta({ id: 'PreviousWebhookSecret', description: 'A secret that was rotated and still signs.' }),
      )
      .meta({ description: 'Secrets that sign beside the newest one, each until its own end. Newest first.' }),
    previous_secret_expires_at: shown
      .time('When the last of `previous_secrets` ends, in wall time; null when there is none.')
      .nullable(),
    secret: z.string().optional().meta({
      description:
        'Signs deliveries (Standard Webhooks). Shown when it is made, and to a repeat under the same Idempotency-Key while its answer is kept; nowhere else.',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    }),
    metadata: shown.metadataShown,
    allowed_actions: shown.allowedActions(...ENDPOINT_ACTIONS),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'WebhookEndpoint', description: 'A URL that events are delivered to.' });

const attempt = z
  .object({
    attempt: z.number().int().meta({ description: 'Counts from 1.' }),
    started_at: shown.time('When it began, in wall time.'),
    duration_ms: z.number().int().meta({ description: 'How long it took, in milliseconds.' }),
    status: z.number().int().nullable().meta({ description: 'HTTP status; null when no answer came.' }),
    error: z.string().nullable().meta({
      description:
        'Why there was no answer, or `redirect_not_followed`: only the URL of the endpoint itself is called.',
      example: 'timeout',
    }),
    response: z.string().nullable().meta({ description: 'How the answer began.' }),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One request to the endpoint.' });

export const delivery = z
  .object({
    id: shown.id('event', "A delivery is known by its event's id within its endpoint; it is the webhook-id too."),
    object: z.literal('webhook_delivery'),
    livemode: shown.livemode,
    endpoint: shown.id('webhookEndpoint', 'The endpoint that it goes to.'),
    event: shown.id('event', 'The event that it carries.'),
    event_type: eventType,
    status: shown.oneOf(DELIVERY_STATUSES, {
      description:
        '`pending` until an attempt is answered with 2xx (`delivered`), no attempt is left (`failed`), or the endpoint is disabled or gone (`canceled`).',
    }),
    next_attempt_at: shown.time('').nullable().meta({
      description:
        'When it is tried next, in wall time; null when it is not. Of an endpoint that is behind, this is the time at which the endpoint is tried again.',
    }),
    attempts: z.array(attempt).meta({ description: 'Every attempt so far, in order.' }),
    created_at: shown.createdAt,
  })
  .meta({ id: 'WebhookDelivery', description: 'An event on its way to an endpoint, with its attempts.' });

export const deletedWebhook = z
  .object({
    id: shown.id('webhookEndpoint'),
    object: z.literal('webhook_endpoint'),
    livemode: shown.livemode,
    deleted: shown.onlyTrue('Always true: the endpoint is gone.'),
  })
  .meta({ id: 'DeletedWebhookEndpoint', description: 'What is left of an endpoint that was deleted.' });

export const enableWebhook = z
  .strictObject({
    recover: z.boolean().optional().meta({ description: 'Whether what it missed is delivered.' }),
  })
  .meta({ id: 'EnableWebhookEndpoint' });

export const replayOfTime = z
  .strictObject({
    since: instant.meta({
      description: 'Events at or after this moment; at most 90 days.',
      example: '2026-11-01T00:00:00Z',
    }),
    until: instant.optional().meta({
      description: 'Events before this moment; without it, all up to now.',
      example: '2026-11-02T00:00:00Z',
    }),
  })
  .meta({ id: 'ReplayWebhookEvents' });

export const replayExample = { since: '2026-11-01T00:00:00Z' };

export const replay = z
  .object({
    object: z.literal('webhook_replay'),
    livemode: shown.livemode,
    endpoint: shown.id('webhookEndpoint', 'The endpoint that they go to.'),
    count: shown.count('Deliveries that wait by this request; from 100,000 on they are not counted to the end.'),
  })
  .meta({ id: 'WebhookReplay', description: 'Deliveries that were asked for again, or for the first time.' });

const OVERLAP_MAX_SECONDS = ROTATION_OVERLAP_MAX_MS / 1_000;

export const rotateSecret = z
  .strictObject({
    overlap_seconds: z
      .unknown()
      .check((context) => {
        const { value } = context;
        if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= OVERLAP_MAX_SECONDS) return;
        context.issues.push({
          code: 'custom',
          input: value,
          message: `Expects a whole number of seconds from 0 to ${OVERLAP_MAX_SECONDS}.`,
        });
      })
      .transform((value) => value as number)
      .optional()
      .meta({
        type: 'integer',
        minimum: 0,
        maximum: OVERLAP_MAX_SECONDS,
        description: `How long the current secret signs beside the new one; ${ROTATION_OVERLAP_DEFAULT_MS / 1_000} without it. Earlier ones sign until their own ends.`,
      }),
  })
  .meta({ id: 'RotateSecret' });
