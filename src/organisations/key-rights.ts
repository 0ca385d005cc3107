/**
 * Who may give what to a key. One rule for the operator's `npm run keys` and for keys that make keys over the API:
 *
 * - No key has `api_keys:write` beside a scope that decides: who makes keys could decide with a second one.
 * - A key gives nothing beyond its own: no scope, address, rate or time.
 * - Over the API nobody gives `api_keys:write`, a scope that decides, or in live mode one of LIVE_BY_NAME: the operator does.
 *   A successor keeps what the key before it has.
 */
import ipaddr from 'ipaddr.js';
import type { Instant } from '../values/clock.ts';
import {
  allowsScope,
  EVERY_SCOPE,
  isDeciding,
  type KeyScopes,
  LIVE_BY_NAME,
  MAKES_KEYS,
  SCOPES,
  type Scope,
} from './api-key.ts';

/** What a key may do, from where, how often and until when. */
export interface KeyRights extends KeyScopes {
  readonly allowedIps: readonly string[];
  /** Null: as often as the book. */
  readonly writesPerSecond: number | null;
  readonly readsPerSecond: number | null;
  /** Null: it does not expire. */
  readonly expiresAt: Instant | null;
}

/** The rates of a book. */
export interface BookRates {
  readonly writesPerSecond: number;
  readonly readsPerSecond: number;
}

export interface RightsFault {
  readonly detail: string;
  /** The scope that the giver lacks, or that is not given over the API. */
  readonly scope?: Scope;
}

export type Giver = 'operator' | KeyRights;

/** What stands against the rights. Of a successor, `keeps`: it has what the key before it has. */
export function faultOfRights(
  wanted: KeyRights,
  giver: Giver,
  { rates, keeps = false }: { rates: BookRates; keeps?: boolean },
): RightsFault | undefined {
  return (
    faultOfScopes(wanted, giver, keeps) ?? (giver === 'operator' ? undefined : faultOfBounds(wanted, giver, rates))
  );
}

export function faultOfScopes(wanted: KeyScopes, giver: Giver, keeps = false): RightsFault | undefined {
  const { scopes, mode } = wanted;
  const decides = scopes.find(isDeciding);
  if (scopes.includes(MAKES_KEYS) && decides) return { detail: `No key has ${MAKES_KEYS} beside ${decides}.` };
  if (giver === 'operator') return undefined;
  const named = (scope: string) =>
    scope === MAKES_KEYS ||
    isDeciding(scope) ||
    (mode === 'live' && (LIVE_BY_NAME as readonly string[]).includes(scope));
  const operators = keeps ? undefined : scopes.find(named);
  if (operators !== undefined)
    return { detail: `A key with ${operators} is made by the operator alone.`, scope: operators as Scope };
  if (scopes.includes(EVERY_SCOPE) && !giver.scopes.includes(EVERY_SCOPE))
    return { detail: `A key gives no scope beyond its own, and this one does not have ${EVERY_SCOPE}.` };
  const beyond = SCOPES.find((scope) => allowsScope(wanted, scope) && !allowsScope(giver, scope));
  if (beyond === undefined) return undefined;
  return { detail: `A key gives no scope beyond its own, and this one does not have ${beyond}.`, scope: beyond };
}

function faultOfBounds(wanted: KeyRights, giver: KeyRights, rates: BookRates): RightsFault | undefined {
  if (!isWithin(wanted.allowedIps, giver.allowedIps))
    return { detail: `A key gives no address beyond its own: ${giver.allowedIps.join(', ')}.` };
  for (const rate of ['writesPerSecond', 'readsPerSecond'] as const) {
    const own = giver[rate] ?? rates[rate];
    if (wanted[rate] === null ? giver[rate] !== null : wanted[rate] > own)
      return {
        detail: `A key gives no rate beyond its own: ${own} ${rate === 'writesPerSecond' ? 'writes' : 'reads'} a second.`,
      };
  }
  if (giver.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > giver.expiresAt))
    return { detail: `A key gives no time beyond its own: it ends at ${new Date(giver.expiresAt).toISOString()}.` };
  return undefined;
}

/** Whether every network is part of one of the others. No network at all stands for every address. */
function isWithin(networks: readonly string[], others: readonly string[]): boolean {
  if (others.length === 0) return true;
  return networks.length > 0 && networks.every((network) => others.some((other) => isPart(network, other)));
}

function isPart(network: string, other: string): boolean {
  const [address, bits] = ipaddr.parseCIDR(network);
  const [base, length] = ipaddr.parseCIDR(other);
  return address.kind() === base.kind() && bits >= length && address.match(base, length);
}
