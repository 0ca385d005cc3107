/** What the rail of a payout can certainly not carry is refused before the payout exists, at the member of the request. */
import type { SecretBox } from '../../db/secret-box.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import type { Rails } from '../../rails/rails.ts';
import { ofPayout } from '../destinations/destination.ts';
import { instructedDestination } from '../destinations/destinations.ts';
import type { PlacedDestination, PlaceOf } from './place-destination.ts';

export interface OfferRuntime {
  readonly secretBox: SecretBox;
  readonly rails: Pick<Rails, 'get'>;
}

export function refuseOffered(
  { secretBox, rails }: OfferRuntime,
  { bookId, payoutId }: Pick<PlaceOf, 'bookId' | 'mode' | 'payoutId'>,
  { placed, ...terms }: { placed: PlacedDestination; amount: bigint; currency: string; remittance: string | null },
): Refusal | undefined {
  const { rail, destination, payee } = placed;
  if (rail === null || destination.type === 'account') return undefined;
  const { refuses } = rails.get(rail);
  if (refuses === undefined) return undefined;
  const refused = refuses({
    ...terms,
    destination: instructedDestination(secretBox, destination, ofPayout(bookId, payoutId)),
  });
  if (refused === undefined) return undefined;
  const { param, detail } = refused;
  if (param === '/amount') return { refused: 'amount_above_maximum', param, detail };
  if (param === '/currency' || param === '/remittance') return { refused: 'rail_unavailable', param, detail };
  // Of a saved destination the request has no member of its own.
  return { refused: 'destination_invalid', param: payee ? '/destination/payee' : param, detail };
}
