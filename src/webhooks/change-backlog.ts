/**
 * Into a backlog and out of it, as commands: they change how the book's deliveries are written, so the book's lock orders
 * them with every commit that writes some. They emit nothing, and the version of the endpoint stays.
 */
import type { Instant } from '../clock.ts';
import { newId, type Uuid } from '../ids.ts';
import type { Command } from '../ledger/command.ts';
import { Draft } from '../ledger/draft.ts';
import { endpointBacklogs } from './backlog-store.ts';

export interface FallBehind {
  readonly endpointId: Uuid;
  /** By the wall clock, as everything about delivering. */
  readonly now: Instant;
  /** Until when the backlog is the caller's, should nobody else have it. */
  readonly heldUntil: Instant;
  /** The first event whose delivery waits. */
  readonly waitingFrom: bigint;
}

export type FellBehind =
  /** The backlog is the caller's to drain. */
  | 'held'
  /** It is behind already, or another process has what is left of its last backlog. */
  | 'left'
  /** The endpoint was deleted. */
  | 'gone';

/** From its commit on, deliveries of the endpoint are written without a due time of their own. */
export function fallBehind(input: FallBehind): Command<FellBehind> {
  const { endpointId, now, heldUntil, waitingFrom } = input;
  const id = newId();
  const requestId = newId();
  return {
    id,
    name: 'webhook_endpoint.fall_behind',
    requestId,
    touches: [{ table: endpointBacklogs, ids: [endpointId] }],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId }, moment);
      const backlog = draft.get(endpointBacklogs, endpointId);
      if (!backlog || backlog.isDeleted) return draft.finish<FellBehind>('gone');
      if (backlog.behindSince !== null) return draft.finish<FellBehind>('left');
      const held = backlog.retryAt === null;
      draft.put(endpointBacklogs, endpointId, {
        ...backlog,
        behindSince: now,
        retryAt: held ? heldUntil : now,
        waitingFrom,
      });
      return draft.finish<FellBehind>(held ? 'held' : 'left');
    },
  };
}

/** From its commit on, each delivery of the endpoint has its own due time again. Its row stays due until what was written before is delivered. */
export function catchUp(endpointId: Uuid): Command<null> {
  const id = newId();
  const requestId = newId();
  return {
    id,
    name: 'webhook_endpoint.catch_up',
    requestId,
    touches: [{ table: endpointBacklogs, ids: [endpointId] }],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId }, moment);
      const backlog = draft.get(endpointBacklogs, endpointId);
      if (backlog && backlog.behindSince !== null)
        draft.put(endpointBacklogs, endpointId, { ...backlog, behindSince: null, retryAt: null, waitingFrom: null });
      return draft.finish(null);
    },
  };
}
