/** The rail of a payout that has waited, found again at its release by the settings of that time. Its fee stays as it was made. */
import type { SecretBox } from '../../db/secret-box.ts';
import type { Book } from '../../ledger/book/book.ts';
import type { Rails } from '../../rails/rails.ts';
import { BOOK_RAIL } from '../destinations/account.ts';
import { ofPayout } from '../destinations/destination.ts';
import { instructedDestination } from '../destinations/destinations.ts';
import { type PayoutRouting, type RoutingRuntime, routePayout } from '../routing/route-payout.ts';
import type { Payout } from './payout.ts';
import { refuseOffered } from './refuse-offered.ts';

/** Its rail is null where none carries the payout any more. */
export type ReleaseRoute = (payout: Payout, book: Pick<Book, 'id' | 'mode'>) => PayoutRouting;

export interface RouteReleaseRuntime extends RoutingRuntime {
  readonly rails: Pick<Rails, 'all' | 'get'>;
  readonly secretBox: SecretBox;
}

export function releaseRoute(runtime: RouteReleaseRuntime): ReleaseRoute {
  return (payout, book) => {
    const { amount, currency, destination } = payout;
    const of = { mode: book.mode, amount, currency, destination: destination.type };
    const routing = routePayout(runtime, of, payout.rail);
    const { rail } = routing;
    if (rail === null || rail === BOOK_RAIL) return routing;
    return carries(runtime, { payout, book, rail }) ? routing : { ...routing, rail: null };
  };
}

/** Another rail than the one that accepted it may know neither its token nor its resolution, and may refuse how the payee is named. */
function carries(
  runtime: RouteReleaseRuntime,
  { payout, book, rail }: { payout: Payout; book: Pick<Book, 'id' | 'mode'>; rail: string },
): boolean {
  const { id: payoutId, amount, currency, remittance, destination, payee } = payout;
  const served = runtime.rails.all().find(({ name }) => name === rail);
  if (served === undefined) return false;
  if (destination.type === 'account') return true;
  if (rail !== payout.rail) {
    if (destination.accountSealed !== null) return false;
    const instructed = instructedDestination(runtime.secretBox, destination, ofPayout(book.id, payoutId));
    if (instructed.type === 'card' && !served.paysTokensOf.includes(instructed.issuedBy)) return false;
  }
  // Its remittance may have changed since it was accepted.
  const offered = { placed: { destination, rail, payee }, amount, currency, remittance };
  return refuseOffered(runtime, { bookId: book.id, mode: book.mode, payoutId }, offered) === undefined;
}
