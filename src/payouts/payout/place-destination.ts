/**
 * Where a payout goes, worked out before its command: the payee's destination, the card's token, the account that was resolved,
 * the rail that carries it. Reads alone; what may change meanwhile is decided in the command (refusePlaced).
 */
import type { SecretBox } from '../../db/secret-box.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { Refusal, Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import type { Rails } from '../../rails/rails.ts';
import type { NoRoute } from '../../rails/settings/route.ts';
import type { Clock } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { BOOK_RAIL } from '../destinations/account.ts';
import { askedCard, type FoundCard } from '../destinations/card.ts';
import { type Destination, type OutsideDestination, ofPayout } from '../destinations/destination.ts';
import {
  type FoundInput,
  instructionOf,
  type OutsideInput,
  resealDestination,
  sealDestination,
} from '../destinations/destinations.ts';
import {
  CARD_PARAM,
  type CardRuntime,
  type DestinationInput,
  findCard,
  findDestination,
  isRefusal,
} from '../destinations/find-card.ts';
import { openResolution } from '../destinations/resolution-token.ts';
import type { Payee, PinnedPayee } from '../payees/payee.ts';
import { payees } from '../payees/payee-table.ts';
import { type RoutingRuntime, refuseRoute, routePayout } from '../routing/route-payout.ts';

/** A destination as a payout asks for it. */
export type PayoutDestinationInput = DestinationInput | { readonly type: 'payee'; readonly payee: Uuid };

export interface PlaceRuntime extends CardRuntime, RoutingRuntime {
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly rails: Pick<Rails, 'carrying' | 'get'>;
}

/** Where a payout goes, as its row keeps it. */
export interface PlacedDestination {
  readonly destination: Destination;
  /** Name of the rail that will carry it; null when no rail does. */
  readonly rail: string | null;
  readonly payee?: PinnedPayee | null;
  /** The card, whose one-time token the payout uses up. */
  readonly card?: FoundCard['payable'] | null;
}

/** The row of the payout, the book that it is for, and what its rail depends on. */
export interface PlaceOf {
  readonly amount: bigint;
  readonly currency: string;
  readonly bookId: BookId;
  readonly mode: Mode;
  readonly payoutId: Uuid;
}

/** A refusal where the destination can be paid by no command. */
export async function placeDestination(
  runtime: PlaceRuntime,
  of: PlaceOf,
  input: PayoutDestinationInput,
): Promise<PlacedDestination | Refusal> {
  if (input.type === 'payee') return placePayee(runtime, of, input.payee);
  const found = await findDestination(runtime, of.bookId, input);
  return isRefusal(found) ? found : placeFound(runtime, of, found);
}

async function placePayee(runtime: PlaceRuntime, of: PlaceOf, payeeId: Uuid): Promise<PlacedDestination | Refusal> {
  const { bookId, payoutId } = of;
  const payee = await payees.find(runtime.pool, bookId, payeeId);
  if (!payee)
    return { refused: 'resource_not_found', param: PAYEE_PARAM, detail: 'There is no such payee in this book.' };
  const pinned: PinnedPayee = { id: payee.id, version: payee.destinationVersion };
  if (payee.destination.type === 'card')
    return placeSavedCard(runtime, of, { ...payee, destination: payee.destination });
  const from = { bookId, table: 'payees', rowId: payee.id } as const;
  const destination = resealDestination(runtime.secretBox, payee.destination, { from, to: ofPayout(bookId, payoutId) });
  if (destination === null) return erased;
  return { destination, rail: railOf(runtime, of, destination), payee: pinned };
}

/** The card is found anew: its token is good as long as the card is. */
async function placeSavedCard(
  runtime: PlaceRuntime,
  of: PlaceOf,
  payee: Payee & { readonly destination: OutsideDestination },
): Promise<PlacedDestination | Refusal> {
  if (payee.destination.sealed === null) return erased;
  const found = await findCard(runtime, of.bookId, askedCard(payee.destination));
  if (isRefusal(found))
    return { refused: 'destination_invalid', param: PAYEE_PARAM, detail: "The payee's card is not there any more." };
  const placed = placeFound(runtime, of, found);
  return isRefusal(placed) ? placed : { ...placed, payee: { id: payee.id, version: payee.destinationVersion } };
}

function placeFound(runtime: PlaceRuntime, of: PlaceOf, found: FoundInput): PlacedDestination | Refusal {
  const { bookId, payoutId } = of;
  const rail = railOf(runtime, of, found);
  const pinned = found.type === 'cliq' && found.resolution ? pinnedBy(runtime, of, { rail, found }) : null;
  if (pinned !== null && typeof pinned !== 'string') return pinned;
  const destination = sealDestination(runtime.secretBox, found, ofPayout(bookId, payoutId), pinned);
  return { destination, rail, card: found.type === 'card' ? found.payable : null };
}

function railOf({ rails }: PlaceRuntime, { mode }: PlaceOf, found: FoundInput | Destination): string | null {
  if (found.type === 'account') return BOOK_RAIL;
  const issuedBy = 'payable' in found ? found.payable.issuedBy : undefined;
  return rails.carrying({ mode, type: found.type, issuedBy })?.name ?? null;
}

/** The account that the resolution pins, as the rail that will carry the payout has found it; null where none will. In the same words whatever is wrong with it: of another alias, book or time. */
function pinnedBy(
  runtime: PlaceRuntime,
  { bookId, mode, amount, currency }: PlaceOf,
  { rail, found }: { rail: string | null; found: OutsideInput & { type: 'cliq' } },
): string | Refusal | null {
  const routed = routePayout(runtime, { mode, amount, currency, destination: found.type }, rail).rail;
  if (routed === null) return null;
  const of = { bookId, destination: instructionOf(found), now: runtime.clock.now() };
  const resolution = openResolution(runtime.secretBox, found.resolution!, of);
  return resolution?.accounts.find((one) => one.rail === routed)?.account ?? RESOLUTION_REFUSED;
}

const RESOLUTION_REFUSED: Refusal = {
  refused: 'destination_invalid',
  param: '/destination/resolution',
  detail: 'The resolution is not of this destination, or it has expired. Resolve the destination again.',
};

export const PAYEE_PARAM = '/destination/payee';
const erased: Refusal = {
  refused: 'destination_invalid',
  param: PAYEE_PARAM,
  detail: "The payee's destination was erased. Save another one.",
};

/** Rows that deciding about the destination takes. */
export function placedTouches({ payee, card }: PlacedDestination): Touch[] {
  return [...(payee ? [{ table: payees, ids: [payee.id] }] : []), ...(card?.touches ?? [])];
}

/** Throws StaleRead where the payee has another destination by now. */
export function refusePlaced(
  draft: Draft,
  { rail, payee }: PlacedDestination,
  noRoute: NoRoute | null = null,
): Refusal | undefined {
  if (payee) {
    const now = draft.get(payees, payee.id)!;
    if (now.destinationVersion !== payee.version) throw new StaleRead('The payee was changed meanwhile.');
    if (now.status === 'disabled')
      return {
        refused: 'destination_invalid',
        param: PAYEE_PARAM,
        detail: `The payee is disabled (${now.disabledReason}). Enable it, or name another one.`,
      };
  }
  return rail === null ? refuseRoute(noRoute) : undefined;
}

/** Uses a one-time token up, once everything else is decided. */
export function usePlaced(draft: Draft, { card, payee }: PlacedDestination): Refusal | undefined {
  return card?.use(draft, payee ? PAYEE_PARAM : CARD_PARAM);
}
