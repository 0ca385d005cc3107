/**
 * The SQL of an endpoint's streak of failures (failing-streak.ts), for both statements that record results. Mostly no row
 * changes: an arrival ends a streak once, and a streak is written when it begins, once an hour, and with a second event.
 */
import { column, instantArray, plainArray } from '../../db/columns.ts';
import type { Uuid } from '../../values/ids.ts';
import { FAILING_LIMIT_MS } from './delivery.ts';
import type { Failures } from './failing-streak.ts';

/** `h` is a row of the list of healths, `w` the endpoint. */
export const HEALTH_COLUMNS = 'first_at, last_at, event, other_at';

/** The last failure of another event than that of the last failure, as the row will have it. */
const OTHER_AT = 'COALESCE(h.other_at, CASE WHEN w.failed_event <> h.event THEN w.failed_at END)';

/** Whether the row has to change. */
export const HEALTH_CHANGES = `CASE WHEN h.first_at IS NULL THEN w.failing_since IS NOT NULL
  ELSE w.failing_since IS NULL OR w.failed_at IS NULL OR h.last_at >= w.failed_at + interval '1 hour'
    OR ${OTHER_AT} >= COALESCE(w.failed_other_at + interval '1 hour', '-infinity') END`;

/** An older streak has `failing_since` alone. GREATEST ignores what is null. */
export const HEALTH_SET = `failing_since = CASE WHEN h.first_at IS NULL THEN NULL
    WHEN h.first_at <= GREATEST(w.failed_at, w.failing_since) + interval '${FAILING_LIMIT_MS} milliseconds'
      THEN COALESCE(w.failing_since, h.first_at)
    ELSE h.first_at END,
  failed_at = COALESCE(h.last_at, w.failed_at), failed_event = COALESCE(h.event, w.failed_event),
  failed_other_at = COALESCE(${OTHER_AT}, w.failed_other_at)`;

export interface EndpointHealth {
  readonly endpointId: Uuid;
  readonly failures: Failures | null;
}

/** The ids of the endpoints, and HEALTH_COLUMNS. */
export function healthColumns(health: readonly EndpointHealth[]): string[] {
  return [
    plainArray(column(health, ({ endpointId }) => endpointId)),
    instantArray(column(health, ({ failures }) => failures?.firstAt ?? null)),
    instantArray(column(health, ({ failures }) => failures?.lastAt ?? null)),
    plainArray(column(health, ({ failures }) => failures?.event ?? null)),
    instantArray(column(health, ({ failures }) => failures?.otherAt ?? null)),
  ];
}
