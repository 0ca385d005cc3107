/**
 * Changes texts, references and terms of a payout. What travels with the money, and its time, change only before its release, and clear approvals: whoever
 * changed them does not approve the payout. A description is such a text where it travels.
 */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Book } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { differenceFrom } from '../../ledger/events/previous-attributes.ts';
import { type Change, changeOf, stateConflict } from '../../ledger/resources/change-of.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { hasText, newSalt } from '../../ledger/rows/personal-text.ts';
import type { Rails } from '../../rails/rails.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { arrivalOf, type RoutingRuntime } from '../routing/route-payout.ts';
import { cleared } from './approval.ts';
import { isReleased, NOTHING_TRAVELS, type Payout, travellingText } from './payout.ts';
import { payoutResource } from './payout-resource.ts';
import { restate } from './payout-steps.ts';
import { type OfferRuntime, refuseOffered } from './refuse-offered.ts';
import { dueInWallTime, releaseAt, type ScheduledFor } from './schedule.ts';

export interface UpdatePayout extends Change {
  readonly payoutId: Uuid;
  readonly actor: string;
  readonly description?: string | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly metadata?: Record<string, string> | undefined;
  readonly remittance?: string | null | undefined;
  readonly purposeCode?: string | null | undefined;
  readonly scheduledFor?: ScheduledFor | undefined;
  /** When the payee should have the money of a payout that is released at a time. Left out: then. */
  readonly arrival?: (payout: Payout, at: Instant) => Instant;
  /** What the rail of the payout cannot carry of its new remittance, as at its acceptance. Left out: nothing. */
  readonly refuses?: (payout: Payout, book: Pick<Book, 'id' | 'mode'>) => Refusal | undefined;
}

type UpdateRuntime = OnceRuntime & RoutingRuntime & OfferRuntime & { readonly rails: Pick<Rails, 'all'> };

export const requestPayoutUpdate: UseCase<UpdateRuntime, Asked & UpdatePayout> = {
  prepare: (runtime, input) => {
    const { rails } = runtime.railSettings;
    const arrival = ({ rail }: Payout, at: Instant) => arrivalOf({ schedule: rails.get(rail)?.schedule ?? null }, at);
    const refuses: UpdatePayout['refuses'] = (payout, { id: bookId, mode }) => {
      const { id: payoutId, destination, rail, payee, ...terms } = payout;
      // Its release finds another rail, or fails it.
      if (!runtime.rails.all().some(({ name }) => name === rail)) return undefined;
      const placed = { destination, rail, payee };
      const refusal = refuseOffered(runtime, { bookId, mode, payoutId }, { placed, ...terms });
      return refusal?.param === '/remittance' ? refusal : undefined;
    };
    return Promise.resolve({ command: updatePayout({ ...input, arrival, refuses }) });
  },
};

/** A field that is left out stays as it is; where all do, nothing is written or announced. */
export function updatePayout(input: UpdatePayout): Command<Stored | Refusal> {
  const salt = newSalt();
  return changeOf(payoutResource, { ...input, id: input.payoutId, action: 'update' }, (draft, payout) => {
    const texts = differenceFrom(payout, {
      description: input.description === undefined ? payout.description : input.description,
      externalId: input.externalId === undefined ? payout.externalId : input.externalId,
      metadata: input.metadata ?? payout.metadata,
    });
    const terms = changedTerms(draft, payout, input);
    if (terms !== undefined && isReleased(payout)) return alreadyReleased(draft, payout);
    if (texts === undefined && terms === undefined) return storedView(draft, payoutResource, payout);
    if (texts?.metadata) indexMetadata(draft, texts.metadata, { object: 'payout', objectId: payout.id });
    const change = { ...texts, ...travelled(payout, texts), ...terms };
    const next = { ...payout, ...change };
    const refusal = terms?.remittance == null ? undefined : input.refuses?.(next, draft.book);
    if (refusal) return refusal;
    const hasAny = hasText(next) || next.remittance !== null;
    const textSalt = payout.textSalt ?? (hasAny ? salt : null);
    const again = terms === undefined ? {} : judgedAgain(draft, next, input.actor);
    const event = again.status === undefined ? 'payout.updated' : 'payout.requires_approval';
    const updated = restate(draft, payout, { ...change, ...again, textSalt }, event);
    return storedView(draft, payoutResource, updated);
  });
}

/** What is approved: it travels with the money, or sets when the money leaves. */
function changedTerms(draft: Draft, payout: Payout, input: UpdatePayout): Partial<Payout> | undefined {
  const { remittance = payout.remittance, purposeCode = payout.purposeCode, scheduledFor: asked } = input;
  const isTime = asked !== undefined && !isReleased(payout);
  const scheduledFor = isTime ? releaseAt(asked, draft.book, draft.moment.book) : payout.scheduledFor;
  const expectedArrival =
    isTime && scheduledFor !== null ? (input.arrival?.(payout, scheduledFor) ?? scheduledFor) : payout.expectedArrival;
  const terms = differenceFrom(payout, { remittance, purposeCode, scheduledFor, expectedArrival });
  if (terms !== undefined) return terms;
  // The time of a payout that has been released is not looked at: it is refused.
  if (asked !== undefined && !isTime) return {};
  const { description = payout.description } = input;
  const isSame = isReleased(payout) || travels(payout) === travels({ remittance, description });
  return isSame ? undefined : {};
}

/** What the rail is given of the two. */
function travels({ remittance, description }: Pick<Payout, 'remittance' | 'description'>): string | null {
  return remittance ?? travellingText(description);
}

/** A description that travels with the money goes on travelling as it was at the release: the same is sent however often it is sent. */
function travelled(payout: Payout, texts: Partial<Payout> | undefined): Pick<Payout, 'remittance'> | undefined {
  const isFixed = isReleased(payout) && payout.remittance === null && texts?.description !== undefined;
  return isFixed ? { remittance: travellingText(payout.description) ?? NOTHING_TRAVELS } : undefined;
}

function alreadyReleased(draft: Draft, payout: Payout): Refusal {
  const detail = `The payout is ${payout.status}: remittance, purpose code and time change only before its release.`;
  return { ...stateConflict(draft, payoutResource, payout, 'update'), detail };
}

/** Clears approvals: an approved payout waits for people again. `next`: as it will be. */
function judgedAgain(draft: Draft, next: Payout, actor: string): Partial<Payout> {
  const { approval, scheduledFor, status } = next;
  if (approval === null) return { dueAt: dueInWallTime(scheduledFor!, draft.moment) };
  const again = { approval: cleared(approval, actor), dueAt: null };
  return status === 'scheduled' ? { ...again, status: 'requires_approval' } : again;
}
