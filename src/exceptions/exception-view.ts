/** How the API and events show an exception. */

import type { Shown } from '../ledger/resources/resource.ts';
import { personal } from '../ledger/rows/personal-text.ts';
import { currencyExponent } from '../money/currency.ts';
import { parseActor, viewOfActor } from '../values/actor.ts';
import { formatInstant, formatInstantOrNull, type Instant } from '../values/clock.ts';
import { publicId, publicIdOrNull, resourceReference } from '../values/ids.ts';
import { allowedActions, type Exception } from './exception.ts';

const DAY_MS = 86_400_000;

export function exceptionView(exception: Exception, { livemode, wall }: Shown) {
  const { id, waiting } = exception;
  return {
    id: publicId('exception', id),
    object: 'exception',
    livemode,
    kind: exception.kind,
    resource: exception.resource,
    resource_id: resourceReference(exception.resource, exception.resourceId),
    detail: exception.detail,
    waiting:
      waiting === null
        ? null
        : {
            account: publicIdOrNull('account', waiting.accountId),
            amount: waiting.amount,
            currency: waiting.currency,
            currency_exponent: currencyExponent(waiting.currency),
          },
    move_to: publicIdOrNull('account', exception.targetAccountId),
    move_to_book: publicIdOrNull('book', exception.targetBookId),
    status: exception.status,
    assignee: publicIdOrNull('person', exception.assigneeId),
    reason: reasonOf(exception),
    proposals: exception.proposals.map(({ rule, reason, lines, items, difference }) => ({
      ...{ rule, reason, lines, items, difference: BigInt(difference) },
    })),
    evidence: exception.evidence.map(({ type, sha256, actor, at }) => ({
      type,
      sha256,
      actor: actorView(actor),
      at: formatInstant(at),
    })),
    handled_by: exception.handledBy === null ? null : actorView(exception.handledBy),
    approved_by: exception.approvedBy === null ? null : actorView(exception.approvedBy),
    age_days: ageOf(exception, wall),
    journal_entries: exception.entryIds.map((entryId) => publicId('entry', entryId)),
    allowed_actions: allowedActions(exception),
    version: exception.version,
    created_at: formatInstant(exception.createdAt),
    updated_at: formatInstant(exception.updatedAt),
    resolved_at: formatInstantOrNull(exception.resolvedAt),
  };
}

/** A book's own time may be ahead of the world's: then it is as old as its last change shows. */
function ageOf({ createdAt, updatedAt, resolvedAt }: Exception, wall: Instant): number {
  return Math.floor(((resolvedAt ?? Math.max(wall, updatedAt)) - createdAt) / DAY_MS);
}

function reasonOf({ id, reason, textSalt }: Exception) {
  return textSalt === null ? reason : personal({ object: 'exception', objectId: id, salt: textSalt }, 'reason', reason);
}

/** Actors are written with their owner, so no key has to be looked up. */
function actorView(actor: string) {
  return viewOfActor(parseActor(actor), NO_OWNERS);
}

const NO_OWNERS = new Map<string, never>();
