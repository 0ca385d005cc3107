/** `GET /v1/{group}/{id}/timeline`: every change of state with reason, actor, request, entries and webhook attempts. */
import { formatInstant } from '../clock.ts';
import type { Queryable } from '../db/pool.ts';
import type { GroupResource } from '../group-resource.ts';
import { publicId, type Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { fillPayloads } from '../ledger/personal-text-store.ts';
import { loadAttempts, loadObjectEvents, type TimelineAttempt, type TimelineEvent } from './timeline-store.ts';

/** Most objects have a handful of events. A longer history shows its latest. */
const EVENTS_SHOWN = 100;
const ATTEMPTS_SHOWN = 1_000;

/** Prefix of the actor of changes made with `npm run ops`. */
const OPERATOR = 'operator:';

/** The parts of an event's payload that the timeline shows. */
interface EventBody {
  data: { object: { status?: string; failure?: unknown }; previous_attributes: Record<string, unknown> };
  journal_entries: { id: string }[];
}

export async function readTimeline(
  db: Queryable,
  { bookId, resource, id }: { bookId: BookId; resource: Pick<GroupResource, 'operatorReason'>; id: Uuid },
) {
  const events = await fillPayloads(db, bookId, await loadObjectEvents(db, bookId, id, EVENTS_SHOWN));
  const attempts = await loadAttempts(
    db,
    bookId,
    events.map((event) => event.sequence),
    ATTEMPTS_SHOWN,
  );
  const byEvent = groupAttempts(attempts);
  const byPerson = events.some(({ actor }) => actor.startsWith(OPERATOR));
  const reason = byPerson ? await resource.operatorReason?.(db, bookId, id) : undefined;
  return {
    object: 'timeline',
    data: events.map((event) =>
      itemView(event, byEvent.get(event.sequence) ?? [], event.actor.startsWith(OPERATOR) ? reason : undefined),
    ),
  };
}

function groupAttempts(attempts: readonly TimelineAttempt[]): Map<bigint, TimelineAttempt[]> {
  const groups = new Map<bigint, TimelineAttempt[]>();
  for (const attempt of attempts)
    groups.set(attempt.eventSequence, [...(groups.get(attempt.eventSequence) ?? []), attempt]);
  return groups;
}

function itemView(event: TimelineEvent, attempts: readonly TimelineAttempt[], byPerson: object | undefined) {
  const body = JSON.parse(event.payload) as EventBody;
  return {
    at: formatInstant(event.createdAt),
    event: publicId('event', event.id),
    type: event.type,
    status: body.data.object.status ?? null,
    reason: byPerson ?? body.data.object.failure ?? null,
    previous_attributes: body.data.previous_attributes,
    actor: event.actor,
    request_id: publicId('request', event.requestId),
    journal_entries: body.journal_entries.map((entry) => entry.id),
    webhook_attempts: attempts.map((attempt) => ({
      endpoint: publicId('webhookEndpoint', attempt.endpointId),
      attempt: attempt.attempt,
      at: formatInstant(attempt.startedAt),
      duration_ms: attempt.durationMs,
      status: attempt.status,
      error: attempt.error,
    })),
  };
}
