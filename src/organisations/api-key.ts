/**
 * An API key opens a book. A key is shown once, and only its SHA-256 is stored. A fast hash is enough: unlike a
 * password, a key has enough randomness of its own.
 * Next: api-key-store.ts (rows), authenticate.ts (checking a key on every request), issue-api-key.ts (making, rolling).
 */
import { hash, randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { BookId, Mode } from '../ledger/book/book.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { KeyOwner } from './person.ts';

export const SCOPES = [
  'accounts:read',
  'accounts:write',
  'accounts:overdraft',
  'payouts:read',
  'payouts:write',
  'payouts:approve',
  'payouts:policy',
  'payees:read',
  'payees:write',
  'payments:read',
  'payments:write',
  'payments:schedule',
  'cards:read',
  'cards:write',
  'cards:details',
  'cards:program',
  'transactions:read',
  'transactions:write',
  'transactions:process',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'journal:read',
  'journal:write',
  'journal:close',
  'reconciliations:read',
  'reconciliations:write',
  'reconciliations:approve',
  'reports:read',
  'reports:write',
  'idempotency_keys:read',
  'idempotency_keys:write',
  'simulations:write',
  'limits:read',
  'exceptions:read',
  'exceptions:write',
  'exceptions:approve',
  'api_keys:read',
  'api_keys:write',
] as const;

export type Scope = (typeof SCOPES)[number];
/** Stands for every scope, also those of later versions, but never for MAKES_KEYS, and in live mode for none of LIVE_BY_NAME. */
export const EVERY_SCOPE = '*';
/**
 * Scopes that a live key has only where the operator names them: the platform's terms are not its merchants' to change,
 * numbers of cards are not for every key, messages of purchases come from the processor, and money leaves by the
 * approval of people who are named.
 */
export const LIVE_BY_NAME: readonly Scope[] = [
  'payouts:approve',
  'payouts:policy',
  'payments:schedule',
  'cards:details',
  'cards:program',
  'transactions:process',
  'reconciliations:approve',
  'journal:close',
];

/** A key has this only by name, and then it decides nothing: who makes keys could give themselves a second person's. */
export const MAKES_KEYS = 'api_keys:write' satisfies Scope;

/** Whether the scope decides what a second person has to decide. */
export function isDeciding(scope: string): boolean {
  return scope.endsWith(':approve') || scope === 'payouts:policy';
}

/** What determines the scopes of a key. */
export interface KeyScopes {
  readonly scopes: readonly string[];
  readonly mode: Mode;
  /** Made by another key, or its successor. Its `*` decides nothing. */
  readonly madeOverApi?: boolean;
}

export interface ApiKey {
  readonly bookId: BookId;
  readonly id: Uuid;
  readonly name: string;
  /** The person or service who acts with it. */
  readonly owner: KeyOwner;
  readonly hash: Buffer;
  readonly madeOverApi: boolean;
  /** `sk_test_` or `sk_live_`. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly scopes: readonly string[];
  /** Addresses and networks in CIDR notation; empty for any. */
  readonly allowedIps: readonly string[];
  /** The key's own limits; null for the book's. */
  readonly writesPerSecond: number | null;
  readonly readsPerSecond: number | null;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly lastUsedAt: Instant | null;
  readonly createdAt: Instant;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 32 characters of 62: 190 bits. */
const SECRET_LENGTH = 32;
const FORM = new RegExp(`^sk_(test|live)_[0-9A-Za-z]{${SECRET_LENGTH}}$`);

/** A new key in plain text. Bytes of 248 (4 × 62) and more are discarded, so every character is equally likely. */
export function generateApiKey(mode: Mode): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    for (const byte of randomBytes(SECRET_LENGTH)) {
      if (byte < 248 && secret.length < SECRET_LENGTH) secret += ALPHABET[byte % 62];
    }
  }
  return `${apiKeyPrefix(mode)}${secret}`;
}

export function apiKeyPrefix(mode: Mode): string {
  return `sk_${mode}_`;
}

/** Whether the text has the form of a key. Any other text is refused without asking the database. */
export function looksLikeApiKey(token: string): boolean {
  return FORM.test(token);
}

/** Of SHA-256. */
export const HASH_BYTES = 32;

export function hashApiKey(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** A request to make a key breaks a rule. The message names the rejected value. */
export class ApiKeyRuleBroken extends Error {
  override name = 'ApiKeyRuleBroken';
}

/** The given scopes, once each. Throws ApiKeyRuleBroken for an unknown scope and when none is given. */
export function parseScopes(given: readonly string[]): string[] {
  const scopes = [...new Set(given.map((scope) => scope.trim()).filter(Boolean))];
  const known = new Set<string>([...SCOPES, EVERY_SCOPE]);
  const unknown = scopes.filter((scope) => !known.has(scope));
  if (unknown.length > 0) {
    throw new ApiKeyRuleBroken(`There is no scope ${unknown.join(', ')}. Scopes are: ${[...known].join(' ')}`);
  }
  if (scopes.length === 0) throw new ApiKeyRuleBroken(`A key needs at least one scope: ${[...known].join(' ')}`);
  return scopes;
}

/** Scopes that a key of the operator's own books may have: these mirror the books of customers, and no account is opened there. */
function isOfOperator(scope: string, mode: Mode): boolean {
  if (scope === 'simulations:write') return mode === 'test';
  return scope.endsWith(':read') || /^(journal|reports|exceptions|reconciliations):/.test(scope);
}

/** All that a key of the operator's own books may have. */
export function scopesOfOperator(mode: Mode): readonly Scope[] {
  return SCOPES.filter((scope) => isOfOperator(scope, mode));
}

/** Throws ApiKeyRuleBroken for a key of the operator's own books that could do more there than they are for. */
export function requireScopesOfOperator(scopes: readonly string[], mode: Mode): void {
  const more = scopes.filter((scope) => !isOfOperator(scope, mode));
  if (more.length === 0) return;
  const allowed = scopesOfOperator(mode).join(' ');
  throw new ApiKeyRuleBroken(`A key of the operator's books may not have ${more.join(', ')}. Scopes are: ${allowed}`);
}

export function allowsScope({ scopes, mode, madeOverApi = false }: KeyScopes, scope: Scope): boolean {
  if (scopes.includes(scope)) return true;
  if (!scopes.includes(EVERY_SCOPE) || scope === MAKES_KEYS) return false;
  if (mode === 'live' && LIVE_BY_NAME.includes(scope)) return false;
  return !(isDeciding(scope) && (madeOverApi || scopes.includes(MAKES_KEYS)));
}

/** Addresses and networks in one form: `203.0.113.7` is `203.0.113.7/32`. Throws ApiKeyRuleBroken for anything else. */
export function parseAllowedIps(given: readonly string[]): string[] {
  return given
    .map((text) => text.trim())
    .filter(Boolean)
    .map(parseNetwork);
}

function parseNetwork(text: string): string {
  // Four parts, no fewer: the library reads 10.1 as an address, which is hardly intended.
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text)) {
    return networkText(...ipaddr.parseCIDR(text));
  }
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) {
    throw new ApiKeyRuleBroken(
      `${text} is neither an IP address nor a network in CIDR notation such as 203.0.113.0/24.`,
    );
  }
  const address = ipaddr.parse(text);
  return networkText(address, address.kind() === 'ipv4' ? 32 : 128);
}

/** Callers are compared as IPv4 wherever possible, so networks are stored that way too. */
function networkText(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  if (address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() && bits >= 96) {
    return `${(address as ipaddr.IPv6).toIPv4Address().toString()}/${bits - 96}`;
  }
  return `${address.toString()}/${bits}`;
}

/** Whether a caller's address is on the list; an empty list allows all. `::ffff:…` counts as an IPv4 address. */
export function isAddressAllowed(ip: string, allowedIps: readonly string[]): boolean {
  if (allowedIps.length === 0) return true;
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return allowedIps.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return address.kind() === base.kind() && address.match(base, bits);
  });
}

/** As in allow lists: an IPv4 address, also where the socket shows it within IPv6 (`::ffff:192.0.2.7`). */
export function plainAddress(ip: string): string {
  return ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : ip;
}

export type ApiKeyStanding = 'good' | 'revoked' | 'expired';

/** The standing of a key at a moment. A revocation may lie in the future, and counts from its moment on. */
export function standingOf(key: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, at: Instant): ApiKeyStanding {
  if (key.revokedAt !== null && key.revokedAt <= at) return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= at) return 'expired';
  return 'good';
}
