/** `GET /v1/{group}/{id}/timeline`: every change of state with reason, actor, request, entries and webhook attempts. */

import type { PageRequest } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import type { BankFiles } from '../group/bank-files.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { DeclaredResource } from '../ledger/resources/declared-resource.ts';
import { fillPayloads } from '../ledger/rows/personal-text-store.ts';
import { findOwnersOfKeys } from '../organisations/api-key-store.ts';
import { type Actor, type ActorByKey, type ActorView, parseActor, viewOfActor } from '../values/actor.ts';
import { formatInstant } from '../values/clock.ts';
import { publicId, type Uuid } from '../values/ids.ts';
import { loadAttempts, loadObjectEvents, type TimelineAttempt, type TimelineEvent } from './timeline-store.ts';

const ATTEMPTS_SHOWN = 1_000;

/** The parts of an event's payload that the timeline shows. */
interface EventBody {
  data: {
    object: { status?: string; failure?: object | null; reason?: string | null };
    previous_attributes: Record<string, unknown>;
  };
  journal_entries: { id: string }[];
}

/** Whose timeline it is. */
export interface TimelineSubject extends Pick<DeclaredResource, 'events'> {
  /** Why an operator changed it, shown beside those of its events that an operator made. */
  readonly operatorReason?: (db: Queryable, bookId: BookId, id: Uuid) => Promise<object | undefined>;
  /** The files of banks that reported what made these events, by the id of the event. */
  readonly bankFiles?: (
    db: Queryable,
    bookId: BookId,
    of: { readonly id: Uuid; readonly events: readonly Uuid[] },
  ) => Promise<ReadonlyMap<Uuid, BankFiles>>;
}

export interface TimelineRequest {
  readonly bookId: BookId;
  readonly resource: TimelineSubject;
  readonly id: Uuid;
  /** Cursors are ids of events. */
  readonly page: PageRequest;
}

/** A page of items, oldest first. Throws ApiError `cursor_invalid` for a cursor that is no event of the object. */
export async function readTimeline(db: Queryable, { bookId, resource, id, page }: TimelineRequest) {
  const { rows, hasMore } = await loadObjectEvents(db, { bookId, objectId: id }, page);
  const events = await fillPayloads(db, bookId, rows);
  const attempts = await loadAttempts(
    db,
    bookId,
    events.map((event) => event.sequence),
    ATTEMPTS_SHOWN,
  );
  const byEvent = groupAttempts(attempts);
  const actors = events.map(({ actor }) => parseActor(actor));
  const owners = await ownersOf(db, bookId, actors);
  const ownEvents: readonly string[] = resource.events;
  // The resource knows no reason for events of other objects, such as an erasure.
  const isExplained = (at: number) => actors[at]!.type === 'operator' && ownEvents.includes(events[at]!.type);
  const reason = events.some((_, at) => isExplained(at)) ? await resource.operatorReason?.(db, bookId, id) : undefined;
  const bankFiles = await resource.bankFiles?.(db, bookId, { id, events: events.map((event) => event.id) });
  const items = events.map((event, at) => {
    const actor = viewOfActor(actors[at]!, owners);
    const attemptsOf = byEvent.get(event.sequence) ?? [];
    const explained = isExplained(at) ? reason : undefined;
    return itemView(event, { actor, attempts: attemptsOf, reason: explained, bankFiles: bankFiles?.get(event.id) });
  });
  return { items, hasMore };
}

/** The owners of keys that events from before keys had owners name alone. Without such events nothing is read. */
async function ownersOf(db: Queryable, bookId: BookId, actors: readonly (Actor | ActorByKey)[]) {
  const keyIds = new Set(actors.flatMap((actor) => (actor.type === 'api_key' ? [actor.keyId] : [])));
  return keyIds.size > 0 ? await findOwnersOfKeys(db, bookId, [...keyIds]) : new Map();
}

function groupAttempts(attempts: readonly TimelineAttempt[]): Map<bigint, TimelineAttempt[]> {
  const groups = new Map<bigint, TimelineAttempt[]>();
  for (const attempt of attempts)
    groups.set(attempt.eventSequence, [...(groups.get(attempt.eventSequence) ?? []), attempt]);
  return groups;
}

interface ItemParts {
  actor: ActorView;
  attempts: readonly TimelineAttempt[];
  /** The operator's reason. */
  reason: object | undefined;
  bankFiles: BankFiles | undefined;
}

/** A failure is an object already; an explanation is a text. */
function reasonIn({ data: { object } }: EventBody): object | null {
  const given = object.failure ?? object.reason ?? null;
  return typeof given === 'string' ? { message: given } : given;
}

function itemView(event: TimelineEvent, { actor, attempts, reason, bankFiles }: ItemParts) {
  const body = JSON.parse(event.payload) as EventBody;
  return {
    at: formatInstant(event.createdAt),
    event: publicId('event', event.id),
    type: event.type,
    status: body.data.object.status ?? null,
    reason: reason ?? reasonIn(body),
    previous_attributes: body.data.previous_attributes,
    actor,
    request_id: publicId('request', event.requestId),
    journal_entries: body.journal_entries.map((entry) => entry.id),
    ...(bankFiles && { bank_files: bankFiles }),
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
