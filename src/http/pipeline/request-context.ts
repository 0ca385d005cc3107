/**
 * One request and its answer: request id, principal, rate limit. The only place that writes answers, the access log and
 * the request histogram. One object per request and one `writeHead` per answer: setting headers one by one costs more
 * than the rest of the answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpMetrics } from '../../api/api-runtime.ts';
import type { FileAnswer } from '../../api/route.ts';
import type { Principal } from '../../organisations/authenticate.ts';
import type { Logger } from '../../process/log.ts';
import { decodedAscii, redactKeys } from '../../process/redact-keys.ts';
import { maskCardNumbers } from '../../values/card-number.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import type { ClientAddress } from '../connections/client-address.ts';
import { addBytes, type BookUsage, IN_FLIGHT_LIMITS, requireRoom } from '../limits/in-flight.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Of an answer that is a file: a range of one is 206. */
interface FileHead {
  readonly status: number;
  readonly headers?: readonly string[];
}

/** From this size on, an answer is copied into a Buffer: the memory saved is worth the copy. */
const LARGE_ANSWER_BYTES = 16_384;

export interface Answer {
  status: number;
  body: string | Buffer;
  contentType?: string;
  /** Defaults to no-store: API answers are about money. Pages and assets override it. */
  cacheControl?: string;
  /** Name, value, name, value, … */
  headers?: readonly string[];
}

export interface RequestContextParts {
  readonly log: Logger;
  readonly addressOf: ClientAddress;
  readonly metrics: HttpMetrics;
}

export class RequestContext {
  /** Generated here, so a client can neither choose nor repeat it. */
  readonly requestId: Uuid = newId();
  readonly publicRequestId = publicId('request', this.requestId);
  /** The client's address. */
  readonly address: string;
  /** The pattern of the matched route, for the log and the histogram. */
  route = 'unmatched';
  /** True for probes and scrapes, which come every few seconds: they are logged at debug level. */
  quiet = false;
  /** True for paths that are secrets: the log has the route in their place. */
  hidesPath = false;
  principal: Principal | undefined;
  /** The `RateLimit` and `RateLimit-Policy` headers, once points have been taken. */
  rateLimit: string | undefined;
  rateLimitPolicy: string | undefined;
  /** The headers of an operation that retires. */
  retirement: readonly string[] | undefined;
  /** Points taken from the limit so far. */
  points = 0;
  /** What the book has in flight; it includes this request until the request leaves. */
  #usage: BookUsage | undefined;
  #bytes = 0;
  #isWaiting = false;
  #left = false;
  #answered = false;
  readonly #startedAt = performance.now();
  readonly #parts: RequestContextParts;
  readonly #response: ServerResponse;
  readonly #method: string;
  readonly #target: string;

  constructor(parts: RequestContextParts, request: IncomingMessage, response: ServerResponse) {
    this.#parts = parts;
    this.address = parts.addressOf(request);
    this.#response = response;
    this.#method = request.method ?? '';
    this.#target = request.url ?? '';
  }

  get answered(): boolean {
    return this.#answered;
  }

  /**
   * Counts this request as in flight for its book, until its answer has been read or its connection has ended. Does
   * nothing if the connection ended during authentication: no later event would take the request out of the count.
   */
  enter(usage: BookUsage): void {
    if (this.#left) return;
    this.#usage = usage;
    usage.requests++;
  }

  /** Bytes of the request's body and answer. */
  get bytesInFlight(): number {
    return this.#bytes;
  }

  /**
   * Counts bytes of this request. Throws ApiError rate_limited or service_unavailable when there is no room for more.
   */
  carry(bytes: number): void {
    const usage = this.#usage;
    if (usage === undefined) return;
    requireRoom(usage);
    this.#bytes += bytes;
    addBytes(usage, bytes);
  }

  /**
   * Takes the request out of flight while it waits by `Prefer: wait`, unless the book already has as many waiting
   * requests as the limit allows.
   */
  async aside<T>(wait: Promise<T>): Promise<T> {
    const usage = this.#usage;
    if (usage === undefined || usage.waiting >= IN_FLIGHT_LIMITS.held) return wait;
    usage.waiting++;
    this.#isWaiting = true;
    try {
      return await wait;
    } finally {
      this.#returned(usage);
    }
  }

  #returned(usage: BookUsage): void {
    if (this.#isWaiting) usage.waiting--;
    this.#isWaiting = false;
  }

  /** Called when the answer has been read or the connection has ended. Only the first call counts. */
  leave(): void {
    this.#left = true;
    const usage = this.#usage;
    if (usage === undefined) return;
    this.#usage = undefined;
    this.#returned(usage);
    usage.requests--;
    addBytes(usage, -this.#bytes);
  }

  /** Writes the answer once. A later answer, such as an error after the answer, is dropped. */
  send({ status, body, contentType = JSON_TYPE, cacheControl = 'no-store', headers }: Answer): void {
    if (this.#answered) return;
    this.#answered = true;
    // Node keeps a string at three times its length until it is written, and a large answer may wait for its reader.
    const large = body.length >= LARGE_ANSWER_BYTES;
    const content = large && typeof body === 'string' ? Buffer.from(body) : body;
    const bytes = Buffer.byteLength(content);
    this.#count(bytes);
    const written = status === 204 ? [] : ['Content-Type', contentType, 'Content-Length', String(bytes)];
    this.#writeHead(status, written, { cacheControl, headers });
    this.#response.end(status === 204 ? undefined : content);
    this.#record(status);
  }

  /**
   * Writes a file piece by piece, each once the client has taken the one before; what is in memory counts as in flight. Rejects for
   * what fails before the first piece. Later, the connection ends before the file does, so that the client sees that it is not whole.
   */
  async sendFile({ contentType, name, content }: FileAnswer, { status, headers }: FileHead): Promise<void> {
    const pieces = content[Symbol.asyncIterator]();
    let piece = await pieces.next();
    if (this.#answered) return;
    this.#answered = true;
    const written = ['Content-Type', contentType];
    if (name !== undefined) written.push('Content-Disposition', `attachment; filename="${name}"`);
    this.#writeHead(status, written, { cacheControl: 'no-store', headers });
    try {
      for (; piece.done !== true && !this.#left; piece = await pieces.next()) await this.#writePiece(piece.value);
      this.#response.end();
    } catch (error) {
      this.#parts.log.error({ err: error, request_id: this.publicRequestId, route: this.route }, 'file not finished');
      this.#response.destroy();
    } finally {
      await pieces.return?.();
      this.#record(status);
    }
  }

  async #writePiece(piece: string | Buffer): Promise<void> {
    const bytes = Buffer.byteLength(piece);
    this.#count(bytes);
    if (!this.#response.write(piece)) await drained(this.#response);
    this.#count(-bytes);
  }

  /** A request that has left has given back what it had, and counts no more. */
  #count(bytes: number): void {
    if (this.#usage === undefined) return;
    this.#bytes += bytes;
    addBytes(this.#usage, bytes);
  }

  #writeHead(
    status: number,
    written: string[],
    { cacheControl, headers }: { cacheControl: string; headers?: readonly string[] | undefined },
  ): void {
    written.push(
      'Request-Id',
      this.publicRequestId,
      'Cache-Control',
      cacheControl,
      'X-Content-Type-Options',
      'nosniff',
    );
    if (this.rateLimit !== undefined)
      written.push('RateLimit', this.rateLimit, 'RateLimit-Policy', this.rateLimitPolicy!);
    if (this.retirement !== undefined) written.push(...this.retirement);
    if (headers) written.push(...headers);
    this.#response.writeHead(status, written);
  }

  #record(status: number): void {
    const milliseconds = performance.now() - this.#startedAt;
    const { log, metrics } = this.#parts;
    metrics.observeRequest({ method: this.#method, route: this.route, status }, milliseconds / 1000);
    const level = this.quiet ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    log[level](
      {
        request_id: this.publicRequestId,
        method: this.#method,
        path: this.hidesPath ? this.route : loggedPath(this.#target),
        status,
        ms: Math.round(milliseconds * 10) / 10,
        ip: this.address,
        ...(this.principal && { book_id: this.principal.bookId, key_id: this.principal.keyId }),
      },
      'request',
    );
  }
}

/** A client that takes nothing for so long is gone: what it reads a file from is kept open for it. */
const PIECE_MS = 30_000;

/** Resolves once the client has taken what was written, or its connection has ended. Ends a connection that takes nothing. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => response.destroy(), PIECE_MS);
    const done = () => {
      clearTimeout(limit);
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (response.closed) done();
  });
}

const MAX_LOGGED_PATH = 200;

/**
 * The path without the query (filters may contain personal text), and with API keys and card numbers in it redacted.
 */
export function loggedPath(target: string): string {
  const end = target.indexOf('?');
  // Whole: what is cut off must not leave a part of a card number, which any number of format characters may stretch.
  const path = end < 0 ? target : target.slice(0, end);
  const masked = withoutCardNumbers(path).slice(0, MAX_LOGGED_PATH);
  return masked.includes('%') || masked.includes('_') ? redactKeys(masked) : masked;
}

/** A path that hides a card number behind percent-encoding stays decoded, as in redactKeys. */
function withoutCardNumbers(path: string): string {
  const plain = maskCardNumbers(path);
  if (!plain.includes('%')) return plain;
  const decoded = decodedAscii(plain);
  const masked = maskCardNumbers(decoded);
  return masked === decoded ? plain : masked;
}

declare global {
  namespace Express {
    interface Request {
      context: RequestContext;
    }
  }
}
