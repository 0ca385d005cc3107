/**
 * One POST and how it ended. Never throws: whatever a receiver does is an outcome to be recorded. Written on undici's
 * dispatch, where an answer can be left in the middle: a receiver that drips or floods is left at a limit.
 */
import { type Dispatcher, errors } from 'undici';
import type { AttemptError } from './delivery.ts';
import { NameNotFound, NameTimeout } from './host-names.ts';
import { AddressForbidden } from './safe-connect.ts';

export interface EventPost {
  url: URL;
  headers: Record<string, string>;
  body: string;
  /** For everything together: name, connection, request, answer. */
  timeoutMs: number;
}

export interface PostOutcome {
  /** Null when no answer began. */
  status: number | null;
  error: AttemptError | null;
  retryAfter: string | undefined;
  /** The beginning of the answer's body, fit for a text column; null when there was none. */
  response: string | null;
}

/** What is kept of an answer: enough to see an error page's first words. */
export const RESPONSE_KEPT_BYTES = 4 * 1_024;
/** What is read of an answer. A short one is read to its end, which keeps the connection for the next event. */
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

/** Why an answer is left before its end; undici closes the connection. */
const LEFT = new errors.RequestAbortedError('The answer was left');

/**
 * Reads one answer. Its status decides as soon as it is there: a receiver that said 2xx has the event, even if the rest
 * of its answer never comes.
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
    this.#timer = setTimeout(() => this.#leave('timeout'), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The time was up while the connection was still being made: nothing is sent.
    if (this.#settled) controller.abort(LEFT);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx only says that the answer is still to come.
    if (statusCode < 200) return;
    this.#status = statusCode;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : undefined;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = RESPONSE_KEPT_BYTES - this.#bytes;
    if (room > 0) this.#kept.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > RESPONSE_READ_BYTES) this.#leave(null);
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

  #leave(error: AttemptError | null): void {
    this.#settle(error);
    this.#controller?.abort(LEFT);
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

/** Postgres takes any text but NUL. Bytes that are no UTF-8 become the replacement character. */
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

/** The one word that an endpoint's owner sees for what undici, the socket or TLS had to say. */
function errorKind(error: Error): AttemptError {
  if (error instanceof AddressForbidden) return 'address_forbidden';
  if (error instanceof NameNotFound) return 'name_not_found';
  if (error instanceof NameTimeout) return 'name_timeout';
  // Several addresses were dialed in vain: the first tells most.
  if (error instanceof AggregateError && error.errors.length > 0) return errorKind(error.errors[0] as Error);
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  const kind = KINDS_BY_CODE[code];
  if (kind) return kind;
  // By its name: undici 7 leaves its code undefined.
  if (error.name === 'HTTPParserError') return 'answer_invalid';
  if (/^(ERR_TLS|ERR_SSL|EPROTO)|CERT|SIGNATURE|SELF_SIGNED/.test(code)) return 'tls_failed';
  return 'connection_failed';
}
