/** Requests to deliver events of the past to an endpoint: one delivery, what failed, or what was never delivered. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedAs } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { RETRY_DELAYS_MS, RETRY_SPREAD } from '../deliveries/delivery.ts';
import type { ENDPOINT_ACTIONS, WebhookEndpoint } from '../endpoints/endpoint.ts';
import { endpointResource } from '../endpoints/endpoint-resource.ts';
import { getEndpoint } from '../endpoints/endpoint-store.ts';
import { expandEventFilters } from '../events/event-filter.ts';
import { REPLAY_MAX_MS, type Replay, type ReplayKind } from './replay.ts';
import { countMissing, countRecoverable, findDelivery, rangeOf } from './replay-store.ts';
import { webhookReplays } from './replay-table.ts';

type ReplayRuntime = OnceRuntime & { readonly pool: Pool; readonly clock: Clock };

interface AskReplay extends Asked, Pick<Change, 'ifMatch'> {
  readonly endpointId: Uuid;
}

export interface AskReplayOfTime extends AskReplay {
  readonly since: Instant;
  readonly until?: Instant;
}

export const recoverDeliveries: UseCase<ReplayRuntime, AskReplayOfTime> = {
  keyFirst: true,
  async prepare({ pool, clock }, input) {
    const { bookId, endpointId } = input;
    await requireEndpoint(pool, input);
    const range = await rangeOf(pool, bookId, requireTime(input, clock));
    const count = await countRecoverable(pool, { bookId, endpointId }, range);
    return { command: askReplay(input, { kind: 'recover', ...timeOf(input), count }) };
  },
};

export const replayMissing: UseCase<ReplayRuntime, AskReplayOfTime> = {
  keyFirst: true,
  async prepare({ pool, clock }, input) {
    const { bookId, endpointId } = input;
    const { events } = await requireEndpoint(pool, input);
    const range = await rangeOf(pool, bookId, requireTime(input, clock));
    const types = events.includes('*') ? null : expandEventFilters(events);
    const count = await countMissing(pool, { bookId, endpointId, types }, range);
    return { command: askReplay(input, { kind: 'missing', ...timeOf(input), count }) };
  },
};

export const resendDelivery: UseCase<ReplayRuntime, AskReplay & { readonly eventId: Uuid }> = {
  async prepare({ pool }, input) {
    const sequence = await findDelivery(pool, input);
    if (sequence === undefined)
      throw new ApiError('resource_not_found', {
        param: 'event',
        detail: 'This endpoint has no delivery of that event.',
      });
    return { command: askReplay(input, { kind: 'resend', sequence, since: null, until: null, count: 1 }) };
  },
};

async function requireEndpoint(pool: Pool, { bookId, endpointId }: AskReplay): Promise<WebhookEndpoint> {
  const endpoint = await getEndpoint(pool, bookId, endpointId);
  if (!endpoint) throw new ApiError('resource_not_found', { param: 'id' });
  return endpoint;
}

function timeOf({ since, until = null }: { since: Instant; until?: Instant | null }) {
  return { since, until };
}

/** Throws ApiError `parameter_invalid`. */
function requireTime({ since, until }: AskReplayOfTime, clock: Clock) {
  const refuse = (param: string, detail: string) => new ApiError('parameter_invalid', { param, detail });
  if (until !== undefined && until <= since) throw refuse('/until', 'Expects a moment after `since`.');
  if ((until ?? clock.now()) - since > REPLAY_MAX_MS)
    throw refuse('/since', 'Expects at most 90 days, up to `until` or to now.');
  return timeOf({ since, until });
}

interface NewReplay extends Pick<Replay, 'kind' | 'since' | 'until'> {
  /** Of a single event. */
  readonly sequence?: bigint;
  readonly count: number;
}

const ACTIONS: Readonly<Record<ReplayKind, (typeof ENDPOINT_ACTIONS)[number]>> = {
  resend: 'resend',
  recover: 'recover',
  missing: 'replay_missing',
};

/** The answer has how many deliveries it is about, as they are counted before. */
function askReplay(input: AskReplay, { count, ...replay }: NewReplay): Command<Stored | Refusal> {
  const { endpointId: id, requestId, actor, ifMatch } = input;
  return changeOf(
    endpointResource,
    { id, action: ACTIONS[replay.kind], requestId, actor, ifMatch },
    (draft, endpoint) => {
      putReplay(draft, endpoint, { ...replay, requestId });
      const body = writeJson({
        object: 'webhook_replay',
        livemode: draft.livemode,
        endpoint: publicId('webhookEndpoint', endpoint.id),
        count,
      });
      return storedAs(endpointResource, endpoint, { status: 202, body });
    },
  );
}

/** Writes a replay with the change of its endpoint. Throws ApiError `service_unavailable` before the contract of this version. */
function putReplay(
  draft: Draft,
  endpoint: WebhookEndpoint,
  {
    kind,
    since,
    until,
    sequence = null,
    requestId,
  }: Omit<NewReplay, 'count' | 'sequence'> & { sequence?: bigint | null; requestId: Uuid },
): void {
  const id = draft.mintId();
  draft.put(webhookReplays, id, {
    id,
    endpointId: endpoint.id,
    kind,
    status: 'pending',
    since,
    until,
    firstSequence: sequence,
    nextSequence: sequence,
    throughSequence: sequence,
    endpointVersion: endpoint.version,
    requestId,
    dueAt: draft.wall,
    createdAt: draft.moment.book,
  });
  draft.enqueue({ pool: 'webhooks', job: 'endpoint.replay', id });
}

/** The longest time from an event to the last attempt of its delivery. */
const LONGEST_DELIVERY_MS = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0) * (1 + RETRY_SPREAD);

/**
 * With the enabling of an endpoint: what was never written while it was disabled, and what failed or was canceled since
 * its last failures. Nothing that its events since have been delivered by is sent again.
 */
export function recoverDisabled(draft: Draft, { before, enabled, requestId }: Enabled): void {
  const since = before.disabledAt ?? before.updatedAt;
  const failed = Math.min(since, before.failingSince ?? since) - LONGEST_DELIVERY_MS;
  const bound = draft.moment.book - REPLAY_MAX_MS;
  putReplay(draft, enabled, { kind: 'recover', since: Math.max(failed, bound), until: null, requestId });
  putReplay(draft, enabled, { kind: 'missing', since: Math.max(since, bound), until: null, requestId });
}

interface Enabled {
  /** The endpoint as it was disabled. */
  readonly before: WebhookEndpoint;
  readonly enabled: WebhookEndpoint;
  readonly requestId: Uuid;
}
