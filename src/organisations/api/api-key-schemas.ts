/** Schemas of API keys. */
import { z } from 'zod';
import { instant } from '../../api/pages.ts';
import { name, reference } from '../../api/schemas/fields.ts';
import * as shown from '../../api/schemas/shown.ts';
import { ApiKeyRuleBroken, EVERY_SCOPE, parseAllowedIps, SCOPES } from '../api-key.ts';
import { API_KEY_ACTIONS, API_KEY_STATUSES } from '../api-key-resource.ts';

const RATE_MAX = 1_000_000;
const NETWORKS_MAX = 100;
export const OVERLAP_DEFAULT_SECONDS = 24 * 3_600;
const OVERLAP_MAX_SECONDS = 7 * 24 * 3_600;

const rate = (of: string) =>
  z
    .int()
    .min(1)
    .max(RATE_MAX)
    .optional()
    .meta({ description: `Most ${of} a second; left out, as the asking key has it.` });

const network = z
  .string()
  .max(50)
  .check((context) => {
    try {
      parseAllowedIps([context.value]);
      if (context.value.trim() !== '') return;
    } catch (error) {
      if (!(error instanceof ApiKeyRuleBroken)) throw error;
    }
    const message = 'Expects an address, or a network in CIDR notation such as 203.0.113.0/24.';
    context.issues.push({ code: 'custom', input: context.value, message });
  });

export const createApiKey = z
  .strictObject({
    name: name.meta({
      description: 'What it is for. Without `person` also the name of the service that it belongs to.',
    }),
    scopes: z
      .array(z.enum([...SCOPES, EVERY_SCOPE]))
      .min(1)
      .max(SCOPES.length + 1)
      .meta({ description: 'None beyond those of the asking key. None that only the operator gives.' }),
    person: reference('person', 'Whose key it is. Left out, it belongs to the service of its name.').optional(),
    expires_at: instant
      .optional()
      .meta({ description: 'When it ends; left out, with the asking key.', example: '2027-03-01T00:00:00Z' }),
    allowed_ips: z
      .array(network)
      .min(1)
      .max(NETWORKS_MAX)
      .optional()
      .meta({
        description: 'Addresses and networks it may be used from; left out, as the asking key has them.',
        example: ['203.0.113.0/24'],
      }),
    writes_per_second: rate('writes'),
    reads_per_second: rate('reads'),
  })
  .meta({ id: 'CreateApiKey' });

export const createApiKeyExample = { name: 'Reports', scopes: ['accounts:read', 'payouts:read'] };

export const rollApiKey = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(OVERLAP_MAX_SECONDS)
      .optional()
      .meta({
        description: `How long the old key goes on, never beyond its own end; ${OVERLAP_DEFAULT_SECONDS} without it. With 0 it ends at once.`,
      }),
  })
  .meta({ id: 'RollApiKey' });

export const apiKey = z
  .object({
    id: shown.id('apiKey'),
    object: z.literal('api_key'),
    livemode: shown.livemode,
    status: shown.oneOf(API_KEY_STATUSES, { description: 'Whether it opens the book.' }),
    name: z.string().meta({ description: 'What it is for.' }),
    owner: z.string().nullable().meta({
      description:
        'The person or the service who acts with it. Null in a key of an earlier version, until the next migration.',
      example: 'svc_01h455vb4pex5vsknk084sn02q',
    }),
    key: z.string().meta({ description: 'How it begins and ends.', example: 'sk_test_…7Xq2' }),
    scopes: z.array(shown.oneOf([...SCOPES, EVERY_SCOPE], { description: 'What it may do.' })).meta({
      description:
        'What it may do. `*` is all but `api_keys:write`, and in live mode but those that are given by name.',
    }),
    made_over_api: z.boolean().meta({
      description:
        'Made by another key, or the successor of one that was: its `*` leaves out what decides (`…:approve`, `payouts:policy`).',
    }),
    allowed_ips: z
      .array(z.string())
      .meta({ description: 'Addresses and networks it may be used from; empty for any.', example: ['203.0.113.0/24'] }),
    writes_per_second: z.number().int().nullable().meta({ description: 'Its own limit; null for that of the book.' }),
    reads_per_second: z.number().int().nullable().meta({ description: 'Its own limit; null for that of the book.' }),
    expires_at: shown.time('When it ends, in wall time; null where it does not.').nullable(),
    revoked_at: shown.time('When it was revoked, in wall time; null where it was not.').nullable(),
    last_used_at: shown.time('When it was last used, to a minute, in wall time; null before that.').nullable(),
    secret: z.string().optional().meta({
      description:
        'The key itself. Shown when it is made, and to a repeat under the same Idempotency-Key while its answer is kept; nowhere else.',
      example: 'sk_test_4eC39HqLyjWDarjtT1zdp7dcTYooMQa1',
    }),
    allowed_actions: shown.allowedActions(...API_KEY_ACTIONS),
    version: shown.version,
    created_at: shown.time('When it was made, in wall time.'),
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'ApiKey', description: 'A key that opens a book: who acts with it, and what it may do.' });
