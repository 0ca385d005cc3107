/**
 * What the API needs of the process around it. The process's runtime satisfies it; tests give just this.
 */
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId, Mode } from '../ledger/book.ts';
import type { Logger } from '../log.ts';

/** Who asks: one API key, and the one book that it opens. */
export interface Principal {
  readonly keyId: Uuid;
  readonly bookId: BookId;
  readonly organisationId: Uuid;
  readonly mode: Mode;
  readonly scopes: readonly string[];
  /** Limits of this key's own; null for those of the book. */
  readonly writesPerSecond: number | null;
  readonly readsPerSecond: number | null;
}

export interface Authenticator {
  /** Throws ApiError: `api_key_invalid`, `api_key_expired` or `ip_not_allowed`. */
  authenticate(token: string, ip: string): Promise<Principal>;
}

export interface HttpMetrics {
  /** One answered request. The route is its pattern, never its path: labels stay few. */
  observeRequest(request: { method: string; route: string; status: number }, seconds: number): void;
  render(): Promise<string>;
  readonly contentType: string;
}

export interface ApiRuntime {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly authenticator: Authenticator;
  readonly metrics: HttpMetrics;
  /** Where integrators reach the API, without a slash at the end. */
  readonly publicUrl: string;
}
