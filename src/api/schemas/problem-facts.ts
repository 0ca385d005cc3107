/**
 * The typed facts of problems: by error code, the members that stand beside those of every problem. An optional one
 * stands only where its description says, and a code that is not here has none.
 */
import { z } from 'zod';
import type { ErrorCode } from '../../errors/errors.ts';
import { SCOPES } from '../../organisations/api-key.ts';
import { closingBlock } from './closing-block-schema.ts';
import * as shown from './shown.ts';

const whole = (description: string) => z.number().int().meta({ description });

const limit = shown.money('How much is allowed, in what `detail` names.');

const currentStatus = z.string().meta({ description: 'The status of the object.', example: 'closed' });

const place = (description: string) => whole(description).optional();

export const PROBLEM_FACTS: Partial<Record<ErrorCode, z.ZodRawShape>> = {
  malformed_json: {
    position: place('Where reading stopped, in characters from 0. An empty or cut-off body has none.'),
    line: place('Where reading stopped, from 1.'),
    column: place('Where reading stopped, from 1.'),
  },
  parameter_invalid: { limit: limit.optional() },
  amount_below_minimum: { limit },
  amount_above_maximum: { limit },
  payload_too_large: { limit },
  rate_limited: { limit: limit.optional() },
  limit_exceeded: { limit: limit.optional(), currency: shown.currencyShown.optional() },
  permission_denied: {
    required_scope: shown.oneOf(SCOPES, { description: 'The scope that the key lacks.' }).optional(),
  },
  self_approval_forbidden: { current_status: currentStatus },
  state_conflict: {
    current_status: currentStatus,
    allowed_actions: z.array(z.string()).optional().meta({ description: 'What may be done with the object now.' }),
    entry_sequence: shown.count('The entry that no checkpoint covers yet.').optional(),
  },
  version_mismatch: { version: shown.version.meta({ description: 'The version of the object.' }) },
  account_not_empty: {
    blocked_by: z.array(closingBlock).meta({ description: 'What keeps the account from being closed.' }),
  },
  insufficient_funds: {
    available: shown.money('What the account has available.'),
    required: shown.money('What the request needs, fee included.'),
    currency: shown.currencyShown.optional(),
    currency_exponent: shown.currencyExponent.optional(),
  },
  reader_busy: { reader_action: shown.id('readerAction', 'The action in progress.') },
  capture_exceeds_authorized: { capturable: shown.money('What may still be captured.') },
  refund_exceeds_captured: { refundable: shown.money('What may still be refunded.') },
  currency_mismatch: {
    account_currency: shown.currencyShown.optional().meta({ description: 'That of the account. ISO 4217.' }),
  },
  idempotency_key_reused: {
    resource: z
      .string()
      .nullable()
      .meta({ description: 'The id of what the key stands for; null where it made nothing.' }),
    first_request_id: shown.id('request', 'The request that came first.'),
  },
};
