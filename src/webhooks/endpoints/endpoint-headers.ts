/**
 * Custom headers of an endpoint: sent with each of its deliveries, sealed at rest, and shown with masked values, since
 * most of them are credentials.
 */
import type { SealedPlace } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

export const HEADERS_MAX = 20;
const HEADER_NAME_MAX = 100;
export const HEADER_VALUE_MAX = 1_000;

/** A token of RFC 9110 (5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, with single spaces or tabs inside (RFC 9110, 5.5, without obs-text). */
const VALUE = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/;

/** What the connection and the message's own form decide, and what we set. */
const RESERVED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Why a name is refused, for the caller. Undefined for one that may be sent. */
export function headerNameFault(name: string): string | undefined {
  if (name.length > HEADER_NAME_MAX || !NAME.test(name))
    return `Expects the name of a header: letters, digits and hyphens, up to ${HEADER_NAME_MAX} characters.`;
  const lower = name.toLowerCase();
  if (RESERVED.has(lower) || lower.startsWith('webhook-')) return `The header ${lower} is set by us.`;
  return undefined;
}

export function headerValueFault(value: string): string | undefined {
  if (value.length <= HEADER_VALUE_MAX && VALUE.test(value)) return undefined;
  return `Expects 1 to ${HEADER_VALUE_MAX} visible ASCII characters, without white space at the ends.`;
}

/** From this length on, the last characters distinguish one credential from another and reveal little of it. */
const SHOWN_FROM = 16;
const SHOWN = 4;

/** The headers as they are shown. */
export function maskedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      `****${value.length < SHOWN_FROM ? '' : value.slice(-SHOWN)}`,
    ]),
  );
}

export function headersPlace(bookId: BookId, endpointId: Uuid): SealedPlace {
  return { bookId, table: 'webhook_endpoints', column: 'headers_sealed', rowId: endpointId };
}
