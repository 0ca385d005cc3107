import { statementLimits } from '../accounts/statements/api/statement-limits.ts';
import { isLive } from '../api/answers.ts';
import type { GroupLimits } from '../api/group-limits.ts';
import { METADATA_FILTERS_MAX, PAGE_LIMITS } from '../api/pages.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH, MAX_WAIT_SECONDS } from '../api/request-headers.ts';
import { route } from '../api/route.ts';
import { METADATA_LIMITS, TEXT_LIMITS } from '../api/schemas/fields.ts';
import { cardLimits } from '../cards/card/api/card-limits.ts';
import { LIST_TIMEOUT_MS } from '../db/list-reads.ts';
import { MAX_REQUEST_AMOUNT } from '../money/amount.ts';
import { batchLimits } from '../payouts/batches/api/batch-limits.ts';
import { payoutLimits } from '../payouts/limits/api/payout-limits.ts';
import { noticeLimits } from '../payouts/notices/api/notice-limits.ts';
import { bankFileLimits } from '../reconciliation/runs/api/bank-file-limits.ts';
import { reportLimits } from '../reports/report/api/report-limits.ts';
import { backtestLimits } from '../transactions/backtest/api/backtest-limits.ts';
import { transactionLimits } from '../transactions/purchase/api/transaction-limits.ts';
import { webhookLimits } from '../webhooks/endpoints/api/webhook-limits.ts';
import { ANSWER_SECONDS } from './connections/connections.ts';
import { MAX_FIELD_ERRORS } from './input/json-body.ts';
import { MAX_DEPTH, MAX_MEMBERS } from './input/nesting.ts';
import { MAX_PARAMETERS } from './input/query-string.ts';
import { BODY_LIMIT_BYTES, CHUNK_BYTES_LEAST } from './input/request-body.ts';
import { IN_FLIGHT_LIMITS, PROCESS_BYTES } from './limits/in-flight.ts';
import { limitsWith } from './limits/limits-schema.ts';
import { limitOf, POINTS } from './limits/rate-limiter.ts';

/** Limits of groups, each under its own name. */
const OF_GROUPS: readonly GroupLimits[] = [
  webhookLimits,
  noticeLimits,
  payoutLimits,
  batchLimits,
  statementLimits,
  cardLimits,
  transactionLimits,
  backtestLimits,
  reportLimits,
  bankFileLimits,
];

const read = route({
  method: 'get',
  path: '/v1/limits',
  operation: 'getLimits',
  tag: 'Limits',
  summary: 'Retrieve the limits',
  scope: 'limits:read',
  responses: { 200: { description: 'As they hold for this key.', schema: limitsWith(OF_GROUPS) } },
  async handle({ runtime, principal }) {
    const { config } = runtime;
    const ofGroups = await Promise.all(
      OF_GROUPS.map(async ({ name, read }) => [name, await read(config, { runtime, principal })] as const),
    );
    const json = {
      object: 'limits',
      livemode: isLive(principal),
      requests_per_second: {
        writes: limitOf('writes', principal, config),
        reads: limitOf('reads', principal, config),
        messages: limitOf('messages', principal, config),
        lookups: limitOf('lookups', principal, config),
      },
      points: {
        request: POINTS.request,
        body_bytes_per_point: POINTS.bodyBytes,
        metadata_filter: POINTS.metadataFilter,
      },
      in_flight: { ...IN_FLIGHT_LIMITS, process_bytes: PROCESS_BYTES },
      amount: { minimum: 1, maximum: MAX_REQUEST_AMOUNT },
      body: { bytes: BODY_LIMIT_BYTES, chunk_bytes: CHUNK_BYTES_LEAST, depth: MAX_DEPTH, members: MAX_MEMBERS },
      query_parameters: MAX_PARAMETERS,
      errors: MAX_FIELD_ERRORS,
      answer_seconds: ANSWER_SECONDS,
      page: {
        default: PAGE_LIMITS.default,
        maximum: PAGE_LIMITS.maximum,
        bytes: PAGE_LIMITS.bytes,
        rows_read: PAGE_LIMITS.candidates,
        timeout_ms: LIST_TIMEOUT_MS,
      },
      metadata: {
        keys: METADATA_LIMITS.keys,
        key_characters: METADATA_LIMITS.key,
        value_characters: METADATA_LIMITS.value,
        filters: METADATA_FILTERS_MAX,
      },
      characters: {
        name: TEXT_LIMITS.name,
        description: TEXT_LIMITS.description,
        external_id: TEXT_LIMITS.externalId,
        idempotency_key: MAX_IDEMPOTENCY_KEY_LENGTH,
      },
      wait_seconds: MAX_WAIT_SECONDS,
      idempotency: { answer_kept_days: config.IDEMPOTENCY_BODY_RETENTION_DAYS },
      ...Object.fromEntries(ofGroups),
    };
    return { status: 200, json };
  },
});

export const limitRoutes = [read];
