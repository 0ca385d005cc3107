/**
 * One POST and its outcome. Never throws: whatever a receiver does is recorded. Uses undici's dispatch, which can abort a
 * response in the middle: a receiver that sends too slowly or too much is cut off at a limit.
 */
import { type Dispatcher, errors } from 'undici';
import type { AttemptError } from './delivery.ts';
import { NameNotFound, NameTimeout } from './host-names.ts';
import { AddressForbidden } from './safe-connect.ts';

export interface EventPost {
  url: URL;
  headers: Record<string, string>;
  body: string;
  /** In all: resolving the name, connection, request, response. */
  timeoutMs: number;
}

export interface PostOutcome {
  /** Null when no response began. */
  status: number | null;
  error: AttemptError | null;
  retryAfter: string | undefined;
  /** The beginning of the response body, fit for a text column; null without a body. */
  response: string | null;
}

/** How much of a response is kept: enough for the first words of an error page. */
export const RESPONSE_KEPT_BYTES = 4 * 1_024;
/** How much of a response is read. A short one is read to its end, so that the connection can be reused. */
export const RESPONSE_READ_BYTES = 64 * 1_024;

export function postEvent(dispatcher: Dispatcher, { url, headers, body, timeoutMs }: EventPost): Promise<PostOutcome> {
  return new Promise((resolve) => {
    const answer = new AnswerReader(resolve, timeoutMs);
    try {
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
        answer,
      );
    } catch (error) {
      answer.fail(errorKind(error as Error));
    }
  });
}

/** Aborts a response before its end; undici closes the connection. */
const ABORTED = new errors.RequestAbortedError('The response was aborted');

/**
 * Reads one response. The status decides the outcome once it has arrived: a receiver that answered 2xx has the event, even
 * if the rest of its response never arrives.
 */
class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #resolve: (outcome: PostOutcome) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #kept: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | null = null;
  #retryAfter: string | undefined;
  #bytes = 0;
  #settled = false;

  constructor(resolve: (outcome: PostOutcome) => void, timeoutMs: number) {
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#abort('timeout'), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The timeout passed while the connection was being opened: nothing is sent.
    if (this.#settled) controller.abort(ABORTED);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx: the final response follows.
    if (statusCode < 200) return;
    this.#status = statusCode;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : undefined;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = RESPONSE_KEPT_BYTES - this.#bytes;
    if (room > 0) this.#kept.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > RESPONSE_READ_BYTES) this.#abort(null);
  }

  onResponseEnd(): void {
    this.#settle(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(errorKind(error));
  }

  fail(error: AttemptError): void {
    this.#settle(error);
  }

  #abort(error: AttemptError | null): void {
    this.#settle(error);
    this.#controller?.abort(ABORTED);
  }

  #settle(error: AttemptError | null): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#resolve({
      status: this.#status,
      error: this.#status === null ? error : errorOfStatus(this.#status),
      retryAfter: this.#retryAfter,
      response: this.#bytes === 0 ? null : storableText(Buffer.concat(this.#kept)),
    });
  }
}

/** Statuses that name another URL in Location (RFC 9110 §15.4). */
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

function errorOfStatus(status: number): AttemptError | null {
  return REDIRECTS.includes(status) ? 'redirect_not_followed' : null;
}

/** A text column accepts every character but NUL. Bytes that are not UTF-8 become the replacement character. */
function storableText(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\u0000', '\ufffd');
}

const KINDS_BY_CODE: Record<string, AttemptError> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
  UND_ERR_SOCKET: 'connection_closed',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'answer_invalid',
};

/** The error code that an endpoint's owner sees, for errors of undici, the socket and TLS. */
function errorKind(error: Error): AttemptError {
  if (error instanceof AddressForbidden) return 'address_forbidden';
  if (error instanceof NameNotFound) return 'name_not_found';
  if (error instanceof NameTimeout) return 'name_timeout';
  // Connecting failed at several addresses: the first error says most.
  if (error instanceof AggregateError && error.errors.length > 0) return errorKind(error.errors[0] as Error);
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  const kind = KINDS_BY_CODE[code];
  if (kind) return kind;
  // By its name: undici 7 leaves its code undefined.
  if (error.name === 'HTTPParserError') return 'answer_invalid';
  if (/^(ERR_TLS|ERR_SSL|EPROTO)|CERT|SIGNATURE|SELF_SIGNED/.test(code)) return 'tls_failed';
  return 'connection_failed';
}
