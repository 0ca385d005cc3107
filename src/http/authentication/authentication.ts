/**
 * Authenticates the API key in the Authorization header. An address that keeps sending invalid keys is refused for a
 * while without a lookup. Keys known to be valid still pass from that address, since many clients may share one
 * address.
 */

import { ApiError } from '../../errors/errors.ts';
import type { Authenticator, Principal } from '../../organisations/authenticate.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import { AddressFailures } from './address-failures.ts';

/** Tokens that this process has accepted, kept only to let them pass a blocked address. */
const MAX_KNOWN_TOKENS = 1_000;
/** Longer than any API key. A longer token is refused without a lookup. */
const MAX_TOKEN_LENGTH = 255;
const BEARER = 'Bearer ';

export class Gate {
  readonly #authenticator: Authenticator;
  readonly #failures: AddressFailures;
  readonly #knownTokens = new BoundedMap<string, true>(MAX_KNOWN_TOKENS);

  constructor(authenticator: Authenticator, failures = new AddressFailures()) {
    this.#authenticator = authenticator;
    this.#failures = failures;
  }

  /** Throws ApiError: api_key_missing, api_key_invalid, api_key_expired, ip_not_allowed, rate_limited. */
  async authenticate(authorization: string | undefined, address: string): Promise<Principal> {
    const token = bearerToken(authorization);
    const blockedForSeconds = this.#failures.blockedForSeconds(address);
    if (blockedForSeconds > 0 && this.#knownTokens.get(token) === undefined) throw tooManyFailures(blockedForSeconds);
    try {
      const principal = await this.#authenticator.authenticate(token, address);
      if (this.#knownTokens.get(token) === undefined) this.#knownTokens.set(token, true);
      return principal;
    } catch (error) {
      if (error instanceof ApiError && error.code.startsWith('api_key_')) {
        this.#knownTokens.delete(token);
        this.#failures.count(address);
        throw new ApiError(error.code, { param: 'Authorization' });
      }
      throw error;
    }
  }
}

/** The token of `Authorization: Bearer …` (RFC 6750). The scheme's name is case-insensitive. */
function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') throw new ApiError('api_key_missing', { param: 'Authorization' });
  const scheme = header.slice(0, BEARER.length);
  if (scheme !== BEARER && scheme.toLowerCase() !== 'bearer ') {
    throw new ApiError('api_key_missing', {
      param: 'Authorization',
      detail: 'Authorization must be `Bearer` and an API key.',
    });
  }
  const token = header.slice(BEARER.length).trim();
  if (token === '' || token.length > MAX_TOKEN_LENGTH)
    throw new ApiError('api_key_invalid', { param: 'Authorization' });
  return token;
}

function tooManyFailures(seconds: number): ApiError {
  return new ApiError('rate_limited', {
    detail: 'Too many requests with keys that are not valid came from this address.',
    headers: { 'Retry-After': String(seconds) },
  });
}
