/**
 * A page for people outside of `/v1`, rendered here: no API key, its path is the secret. Declared by its group and mounted by
 * src/http/pages.ts, which bounds what is asked of it and sets the headers.
 */

import type { SharedInquiries } from '../outside/calls/shared-inquiries.ts';
import type { Uuid } from '../values/ids.ts';
import type { ApiRuntime } from './api-runtime.ts';
import type { WaitersByTable } from './waits.ts';

export interface PageRequest {
  readonly runtime: ApiRuntime;
  readonly waiters: WaitersByTable;
  /** What a link makes us ask of a party. */
  readonly inquiries: SharedInquiries;
  /** A card that a link gives is tried once at a time. */
  readonly cardTries: SharedInquiries;
  readonly requestId: Uuid;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Of the Accept-Language header. */
  readonly acceptLanguage: string;
  /** Asked by htmx: a redirect to another host is a link in the answer, which a script does not follow. */
  readonly byScript: boolean;
  /** Aborted when the browser has gone. */
  readonly signal: AbortSignal;
}

export interface PageAnswer {
  readonly status: number;
  readonly html?: string;
  /** Of a redirect. */
  readonly location?: string;
  /**
   * URLs that an answer to the page's form may lead to, as they were given: browsers apply `form-action` to redirects
   * as well. Their origins stand in the page's policy. A URL without a named origin is reached by a link alone.
   */
  readonly leadsTo?: readonly string[];
  /** Of a 503. */
  readonly retryAfterSeconds?: number;
  /** A card was refused: too many from one network, or of one link, are answered with `failed` for a while. */
  readonly isFailure?: boolean;
}

export interface Page {
  /** In Express's form, as logs and metrics name it: paths of pages have secrets in them. */
  readonly path: string;
  get(request: PageRequest): Promise<PageAnswer>;
  post(request: PageRequest, form: URLSearchParams): Promise<PageAnswer>;
  /**
   * Whether a POST only leads somebody back to the page, as banks do. It is answered as a GET, whatever its body is.
   * `form` is undefined where the body is no form of the page: another type, or too long.
   */
  leadsBack?(request: PageRequest, form: URLSearchParams | undefined): boolean;
  /** The page of a request that could not be served. */
  failed(request: PageRequest, status: number): string;
}

/** A file that pages load. */
export interface PageAsset {
  readonly path: string;
  readonly contentType: string;
  body(): string | Promise<Buffer>;
}
