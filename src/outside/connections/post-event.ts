/**
 * One POST and its outcome. Never throws: whatever a receiver does is recorded. A receiver that sends too slowly or too much is cut off at
 * a limit.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { NameNotFound, NameTimeout } from './host-names.ts';
import { AddressForbidden, type SafeAgent } from './safe-connect.ts';

/** Why a request had no answer, or none that counts. An answer other than 2xx shows in its status. */
export type PostError =
  /** No complete answer within the time limit. */
  | 'timeout'
  /** The name does not exist or has no address. */
  | 'name_not_found'
  /** No name server answered for the name. */
  | 'name_timeout'
  | 'connection_refused'
  | 'connection_failed'
  /** The connection ended before the answer began. */
  | 'connection_closed'
  /** The certificate is not valid any more, or not yet. */
  | 'tls_failed_expired'
  /** The certificate is not signed by an authority that we trust: by itself, by an unknown one, or an intermediate one is missing. */
  | 'tls_failed_untrusted'
  /** The certificate is for other names. */
  | 'tls_failed_wrong_name'
  /** No certificate was judged: the other side has no TLS, or no version and cipher of ours. */
  | 'tls_failed_handshake'
  /** The address is not public, or a live endpoint would be reached without TLS. */
  | 'address_forbidden'
  | 'answer_invalid'
  /** The answer sends the request to another URL. Only the endpoint's own is called. */
  | 'redirect_not_followed';

export interface EventPost {
  /** Called as it is written. */
  url: string;
  headers: Record<string, string>;
  body: string;
  /** In all: resolving the name, connection, request, response. */
  timeoutMs: number;
  /** How much of the response is returned. RESPONSE_KEPT_BYTES without it, RESPONSE_READ_BYTES at most. */
  keptBytes?: number;
}

export interface PostOutcome {
  /** Null when no response began. */
  status: number | null;
  error: PostError | null;
  retryAfter: string | undefined;
  /** The beginning of the response body, fit for a text column; null without a body. */
  response: string | null;
  /** The response has come to its end, and all of it is in `response`. */
  isWhole: boolean;
}

/** How much of a response is stored: enough for the beginning of an error page. */
export const RESPONSE_KEPT_BYTES = 4 * 1_024;
/** How much of a response is read. A short one is read to its end, so that the connection can be reused. */
export const RESPONSE_READ_BYTES = 64 * 1_024;

export function postEvent(
  agent: SafeAgent,
  { url, headers, body, timeoutMs, keptBytes = RESPONSE_KEPT_BYTES }: EventPost,
): Promise<PostOutcome> {
  return new Promise((resolve) => {
    const answer = new AnswerReader(resolve, { timeoutMs, keptBytes });
    try {
      answer.read(agent.post({ url, headers, body }));
    } catch (error) {
      answer.fail(errorKind(error as Error));
    }
  });
}

/**
 * Reads one response. The status decides the outcome once it has arrived: a receiver that answered 2xx has the event, even
 * if the rest of its response never arrives.
 */
class AnswerReader {
  readonly #resolve: (outcome: PostOutcome) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #keptBytes: number;
  readonly #kept: Buffer[] = [];
  #request: ClientRequest | undefined;
  #status: number | null = null;
  #retryAfter: string | undefined;
  #bytes = 0;
  #finished = false;

  constructor(
    resolve: (outcome: PostOutcome) => void,
    { timeoutMs, keptBytes }: { timeoutMs: number; keptBytes: number },
  ) {
    this.#resolve = resolve;
    this.#keptBytes = keptBytes;
    this.#timer = setTimeout(() => this.#abort('timeout'), timeoutMs);
  }

  read(request: ClientRequest): void {
    this.#request = request;
    request.on('response', (response) => this.#onResponse(response));
    request.on('error', (error) => this.fail(errorKind(error)));
  }

  /** 1xx are no response to Node's client: the final one follows. */
  #onResponse(response: IncomingMessage): void {
    this.#status = response.statusCode!;
    this.#retryAfter = response.headers['retry-after'];
    response.on('data', (chunk: Buffer) => this.#onData(chunk));
    response.on('end', () => this.#finish(null, { hasEnded: true }));
    response.on('error', (error) => this.fail(errorKind(error)));
  }

  #onData(chunk: Buffer): void {
    const room = this.#keptBytes - this.#bytes;
    if (room > 0) this.#kept.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > RESPONSE_READ_BYTES) this.#abort(null);
  }

  fail(error: PostError): void {
    this.#finish(error);
  }

  /** Ends the response before its end, and its connection. */
  #abort(error: PostError | null): void {
    this.#finish(error);
    this.#request?.destroy();
  }

  #finish(error: PostError | null, { hasEnded = false } = {}): void {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#timer);
    this.#resolve({
      status: this.#status,
      error: this.#status === null ? error : errorOfStatus(this.#status),
      retryAfter: this.#retryAfter,
      response: this.#bytes === 0 ? null : storableText(Buffer.concat(this.#kept)),
      isWhole: hasEnded && this.#bytes <= this.#keptBytes,
    });
  }
}

/** Statuses that name another URL in Location (RFC 9110 §15.4). */
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

function errorOfStatus(status: number): PostError | null {
  return REDIRECTS.includes(status) ? 'redirect_not_followed' : null;
}

/** A text column accepts every character but NUL. Bytes that are not UTF-8 become the replacement character. */
function storableText(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\u0000', '\ufffd');
}

const KINDS_BY_CODE: Record<string, PostError> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
  ETIMEDOUT: 'timeout',
};

/** Codes of OpenSSL's verification (X509_V_ERR_…) and of Node's own, the first that matches. */
const TLS_FAULTS: readonly { readonly codes: RegExp; readonly error: PostError }[] = [
  { codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, error: 'tls_failed_expired' },
  { codes: /ALTNAME_INVALID|HOSTNAME_MISMATCH/, error: 'tls_failed_wrong_name' },
  { codes: /^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO)/, error: 'tls_failed_handshake' },
  { codes: /CERT|SIGNATURE|INVALID_(CA|PURPOSE)|PATH_LENGTH|CRL/, error: 'tls_failed_untrusted' },
];

/** The error code that an endpoint's owner sees, for errors of the parser, the socket and TLS. */
function errorKind(error: Error): PostError {
  if (error instanceof AddressForbidden) return 'address_forbidden';
  if (error instanceof NameNotFound) return 'name_not_found';
  if (error instanceof NameTimeout) return 'name_timeout';
  // Connecting failed at several addresses: the first error is the most specific.
  if (error instanceof AggregateError && error.errors.length > 0) return errorKind(error.errors[0] as Error);
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  const kind = KINDS_BY_CODE[code];
  if (kind) return kind;
  // Of Node's parser (llhttp): HPE_INVALID_CONSTANT, HPE_HEADER_OVERFLOW and others.
  if (code.startsWith('HPE_')) return 'answer_invalid';
  const tls = TLS_FAULTS.find(({ codes }) => codes.test(code));
  if (tls) return tls.error;
  return 'connection_failed';
}
