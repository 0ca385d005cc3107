/** Looks a destination up at the rail that would carry a payout to it. Nothing moves, and nothing is kept. */
import type { SecretBox } from '../../db/secret-box.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId, Mode } from '../../ledger/book.ts';
import { PartyBusy } from '../../outside/call-limits.ts';
import { PartyUnreachable } from '../../outside/party.ts';
import type { Found, InstructedDestination, Rail, Unregistered } from '../../rails/rail.ts';
import type { Rails } from '../../rails/rails.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import type { CliqInput } from './cliq.ts';
import { instructionOf } from './destinations.ts';
import type { IbanInput } from './iban.ts';
import { RESOLUTION_MS, sealResolution } from './resolution-token.ts';
import type { WalletInput } from './wallet.ts';

export interface ResolveRuntime {
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  readonly rails: Pick<Rails, 'carrying'>;
}

export interface ResolveInput {
  readonly bookId: BookId;
  readonly mode: Mode;
  readonly destination: CliqInput | IbanInput | WalletInput;
}

export interface Resolved extends Pick<Found, 'nameMasked' | 'providers' | 'verification'> {
  /** Null where no single account was found, and for what is no alias. */
  readonly resolution: string | null;
  readonly expiresAt: Instant | null;
}

/** Throws ApiError `rail_unavailable`, `alias_not_found`, and `service_unavailable` when the rail gives no answer. */
export async function resolveDestination(runtime: ResolveRuntime, input: ResolveInput): Promise<Resolved> {
  const { bookId, mode } = input;
  const destination = instructionOf(input.destination);
  const rail = runtime.rails.carrying({ mode, type: destination.type });
  if (!rail) throw new ApiError('rail_unavailable', { param: '/destination/type' });
  const found = await ask(rail, bookId, destination);
  if (found.status === 'unregistered') throw new ApiError('alias_not_found', { param: placeOf(destination) });
  const { nameMasked, providers, verification, account } = found;
  const expiresAt = account === null ? null : runtime.clock.now() + RESOLUTION_MS;
  const resolution =
    account === null || expiresAt === null
      ? null
      : sealResolution(runtime.secretBox, { rail: rail.name, account, expiresAt }, { bookId, destination });
  return { nameMasked, providers, verification, resolution, expiresAt };
}

async function ask(
  rail: Pick<Rail, 'resolve'>,
  bookId: BookId,
  destination: InstructedDestination,
): Promise<Found | Unregistered> {
  try {
    return await rail.resolve(bookId, destination);
  } catch (error) {
    if (error instanceof PartyUnreachable || error instanceof PartyBusy)
      throw new ApiError('service_unavailable', {
        detail: 'The rail gave no answer. Send the request again.',
        headers: { 'Retry-After': '1' },
      });
    throw error;
  }
}

function placeOf(destination: InstructedDestination): string {
  if (destination.type === 'cliq') return '/destination/alias';
  if (destination.type === 'iban') return '/destination/iban';
  return '/destination';
}
