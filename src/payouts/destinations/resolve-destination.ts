/** Looks a destination up at the rails that would carry a payout to it. Nothing moves, and nothing is kept. */
import type { SecretBox } from '../../db/secret-box.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import { PartyBusy } from '../../outside/calls/call-limits.ts';
import { PartyUnreachable } from '../../outside/party/party.ts';
import type { Found, InstructedDestination, Rail, Unregistered } from '../../rails/rail.ts';
import type { Rails } from '../../rails/rails.ts';
import type { RailSettings } from '../../rails/settings/rail-settings.ts';
import { railsOfRoutes } from '../../rails/settings/route.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import type { CliqInput } from './cliq.ts';
import { instructionOf } from './destinations.ts';
import type { IbanInput } from './iban.ts';
import { PINNED_RAILS_MAX, RESOLUTION_MS, sealResolution } from './resolution-token.ts';
import type { WalletInput } from './wallet.ts';

export interface ResolveRuntime {
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  readonly rails: Pick<Rails, 'carrying' | 'all'>;
  readonly railSettings: RailSettings;
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
  const rails = railsFor(runtime, { mode, type: destination.type });
  if (rails.length === 0) throw new ApiError('rail_unavailable', { param: '/destination/type' });
  const asked = await Promise.all(
    rails.map(async (rail) => ({ rail: rail.name, answer: await ask(rail, bookId, destination) })),
  );
  const found = asked.flatMap(({ rail, answer }) => (answer?.status === 'found' ? [{ rail, answer }] : []));
  // Where one rail has found the payee and another one has not, a payout may go by the first.
  const [first] = found;
  if (first === undefined) {
    if (asked.some(({ answer }) => answer === undefined)) throw noAnswer();
    throw new ApiError('alias_not_found', { param: placeOf(destination) });
  }
  const several = found.find(({ answer }) => isOfSeveral(answer));
  const { nameMasked, providers, verification } = (several ?? found.find(({ answer }) => knowsPayee(answer)) ?? first)
    .answer;
  const accounts = found
    .flatMap(({ rail, answer: { account } }) => (account === null ? [] : [{ rail, account }]))
    .slice(0, PINNED_RAILS_MAX);
  if (several !== undefined || accounts.length === 0)
    return { nameMasked, providers, verification, resolution: null, expiresAt: null };
  const expiresAt = runtime.clock.now() + RESOLUTION_MS;
  const resolution = sealResolution(runtime.secretBox, { accounts, expiresAt }, { bookId, destination });
  return { nameMasked, providers, verification, resolution, expiresAt };
}

/** Those of the routes, whichever of them the currency and the amount will lead to; without routes, the one that carries the destination. */
function railsFor(
  { rails, railSettings }: ResolveRuntime,
  { mode, type }: { readonly mode: Mode; readonly type: InstructedDestination['type'] },
): readonly Pick<Rail, 'name' | 'resolve'>[] {
  const named = railsOfRoutes(railSettings, { mode, destination: type });
  if (named !== undefined) return rails.all().filter(({ name }) => named.includes(name));
  const rail = rails.carrying({ mode, type });
  return rail === undefined ? [] : [rail];
}

/** A provider has to be named first, though another rail has found an account: it is open which of them is meant. */
function isOfSeveral({ account, providers }: Found): boolean {
  return account === null && providers.length > 1;
}

/** A bank that works by files knows nobody: another rail may. */
function knowsPayee({ nameMasked, providers, verification, account }: Found): boolean {
  const isVerified = verification !== null && verification !== 'unavailable';
  return isVerified || nameMasked !== null || account !== null || providers.length > 0;
}

/** Undefined where no answer came. */
async function ask(
  rail: Pick<Rail, 'resolve'>,
  bookId: BookId,
  destination: InstructedDestination,
): Promise<Found | Unregistered | undefined> {
  try {
    return await rail.resolve(bookId, destination);
  } catch (error) {
    if (error instanceof PartyUnreachable || error instanceof PartyBusy) return undefined;
    throw error;
  }
}

function noAnswer(): ApiError {
  const detail = 'The rail gave no answer. Send the request again.';
  return new ApiError('service_unavailable', { detail, headers: { 'Retry-After': '1' } });
}

function placeOf(destination: InstructedDestination): string {
  if (destination.type === 'cliq') return '/destination/alias';
  if (destination.type === 'iban') return '/destination/iban';
  return '/destination';
}
