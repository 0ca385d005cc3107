/** A period as a resource. That its days are being closed is no event: what becomes of that is one. */
import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { parseActor, viewOfActor } from '../../values/actor.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { PERIOD_TRANSITIONS, type Period } from './period.ts';
import { periods } from './period-table.ts';

export const periodResource: Resource<Period, Shown> = {
  name: 'period',
  table: periods,
  parent: null,
  events: ['period.closed', 'period.refused', 'period.reopened'],
  books: false,
  changed: (period, change) => ({ ...period, ...change }),
  transitions: PERIOD_TRANSITIONS,
  firstStatuses: ['pending'],
  view: (period, { livemode }) => periodView(period, livemode),
};

export function periodView(period: Period, livemode: boolean) {
  return {
    id: publicId('period', period.id),
    object: 'period',
    livemode,
    status: period.status,
    through: period.through,
    through_sequence: period.throughSequence,
    chain_hash: period.chainHash,
    trial_balance_digest: period.trialBalanceDigest,
    findings: period.findings,
    findings_total: period.findingsTotal,
    open: period.openItems,
    actor: actorView(period.actor),
    reason: textOf(period, 'reason', period.reason),
    at: formatInstant(period.createdAt),
    reopened_by: period.reopenedBy === null ? null : actorView(period.reopenedBy),
    reopening_reason: textOf(period, 'reopening_reason', period.reopeningReason),
    reopened_at: formatInstantOrNull(period.reopenedAt),
    allowed_actions: [],
    request_id: publicId('request', period.requestId),
    version: period.version,
    created_at: formatInstant(period.createdAt),
    updated_at: formatInstant(period.updatedAt),
  };
}

function textOf({ id, textSalt }: Period, field: string, text: string | null) {
  return textSalt === null ? text : personal({ object: 'period', objectId: id, salt: textSalt }, field, text);
}

function actorView(actor: string) {
  return viewOfActor(parseActor(actor), NO_OWNERS);
}

/** A key always names its owner: periods are younger than keys that did not. */
const NO_OWNERS = new Map<string, never>();
