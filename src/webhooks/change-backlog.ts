/**
 * The commands by which an endpoint falls behind and catches up. They are commands because they change how the book's
 * deliveries are written: the book's lock orders them with every commit that writes deliveries. They emit no event and
 * do not change the endpoint's version.
 */

import type { Command } from '../ledger/command.ts';
import { Draft } from '../ledger/draft.ts';
import type { Instant } from '../values/clock.ts';
import { newId, type Uuid } from '../values/ids.ts';
import { endpointBacklogs } from './backlog-store.ts';

export interface FallBehind {
  readonly endpointId: Uuid;
  /** Wall-clock time, as everywhere in delivering. */
  readonly now: Instant;
  /** Until when the caller holds the backlog, if no other process does. */
  readonly heldUntil: Instant;
  /** The first event whose delivery waits. */
  readonly waitingFrom: bigint;
}

export type FellBehind =
  /** The caller holds the backlog and drains it. */
  | 'held'
  /** The endpoint is behind already, or its last backlog is not cleared yet. */
  | 'skipped'
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
      if (backlog.behindSince !== null) return draft.finish<FellBehind>('skipped');
      const held = backlog.retryAt === null;
      draft.put(endpointBacklogs, endpointId, {
        ...backlog,
        behindSince: now,
        retryAt: held ? heldUntil : now,
        waitingFrom,
      });
      return draft.finish<FellBehind>(held ? 'held' : 'skipped');
    },
  };
}

/**
 * From its commit on, each delivery of the endpoint has its own due time again. The endpoint stays due until the
 * earlier deliveries are delivered.
 */
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
