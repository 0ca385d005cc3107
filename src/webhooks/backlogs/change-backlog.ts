/**
 * The commands by which an endpoint falls behind and catches up. They are commands because they change how the book's
 * deliveries are written: the book's lock orders them with every commit that writes deliveries. They emit no event and
 * do not change the endpoint's version.
 */

import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Instant } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { endpointBacklogs } from './backlog-store.ts';

export interface FallBehind {
  readonly endpointId: Uuid;
  /** Wall-clock time, like all times of deliveries. */
  readonly now: Instant;
  /** When the caller's lease of the backlog expires, if no other process has it. */
  readonly leaseUntil: Instant;
  /** The first event whose delivery waits, as far as the caller knows. */
  readonly waitingFrom: bigint;
}

export type FellBehind =
  /** The caller has the lease and drains the backlog, from this event on. */
  | { readonly state: 'leased'; readonly waitingFrom: bigint }
  /** The endpoint is behind already, or its last backlog is not cleared yet: whoever drains it reads from the caller's event, too. */
  | { readonly state: 'skipped' }
  /** The endpoint was deleted. */
  | { readonly state: 'gone' };

/**
 * From its commit on, deliveries of the endpoint are written without a due time of their own. The jobs of one commit may reach several
 * processes, and the first of these need not have its first event: an ordered endpoint is drained from where its last drain ended.
 */
export function fallBehind(input: FallBehind): Command<FellBehind> {
  const { endpointId, now, leaseUntil, waitingFrom } = input;
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
      if (!backlog || backlog.isDeleted) return draft.finish<FellBehind>({ state: 'gone' });
      const known = backlog.waitingFrom ?? (backlog.isOrdered ? 0n : waitingFrom);
      const from = known < waitingFrom ? known : waitingFrom;
      if (backlog.behindSince !== null) {
        if (from !== backlog.waitingFrom) draft.put(endpointBacklogs, endpointId, { ...backlog, waitingFrom: from });
        return draft.finish<FellBehind>({ state: 'skipped' });
      }
      const isLeased = backlog.retryAt === null;
      draft.put(endpointBacklogs, endpointId, {
        ...backlog,
        behindSince: now,
        retryAt: isLeased ? leaseUntil : now,
        waitingFrom: from,
      });
      return draft.finish<FellBehind>(isLeased ? { state: 'leased', waitingFrom: from } : { state: 'skipped' });
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
