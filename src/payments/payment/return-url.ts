/**
 * The page that a payer returns to: a public page over https, or, in test mode, the integrator's own machine. The URL
 * is used byte for byte as it was given, with one more parameter.
 */
import { isIP } from 'node:net';
import { isLocalName, isPublicAddress, unbracketed } from '../../values/public-address.ts';
import { isHostName, parsedUrl } from '../../values/url.ts';

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** With an authority as RFC 3986 has it: the parser (WHATWG) repairs what other software reads as another host, such as a backslash. */
const WEB_URL = /^https?:\/\/[^/?#\\]/i;

/** Why a text is no URL that a payer can be led to, in words; undefined for one that may be. Of which mode it is, request-rules.ts decides. */
export function returnUrlFault(text: string): string | undefined {
  if (/[\p{Cc}\p{Z}]/u.test(text)) return 'A URL has no spaces and no control characters.';
  if (/\p{Cs}/u.test(text)) return 'A URL has no half characters.';
  const url = WEB_URL.test(text) ? parsedUrl(text) : undefined;
  if (url === undefined) return 'Expects an https URL.';
  if (text.includes('\\')) return 'A URL must not contain \\; write it as %5C.';
  const { protocol, hostname, username, password } = url;
  // `https://bank.example@shop.example/`: a payer reads another host than the one that they are led to.
  if (username !== '' || password !== '') return 'A URL must not carry a user name or password.';
  if (LOOPBACK.includes(hostname)) return undefined;
  if (protocol === 'https:' && isPublicHost(hostname)) return undefined;
  return 'Expects an https URL of a public host. Test mode also takes localhost, 127.0.0.1 and [::1].';
}

/** As the parser writes it: in punycode, addresses in their usual form. What webhooks may be sent to, payers may be led to. */
export function isPublicHost(hostname: string): boolean {
  const host = unbracketed(hostname);
  if (isIP(host) !== 0) return isPublicAddress(host);
  return isHostName(host) && !isLocalName(host);
}

export function isLoopbackUrl(url: string): boolean {
  const hostname = parsedUrl(url)?.hostname;
  return hostname !== undefined && LOOPBACK.includes(hostname);
}

/** The parameter that names the payment, and the one for a URL that has it already. */
const PARAMETER = 'payment';
const PARAMETER_BESIDE = 'countinghouse_payment';

/** The URL with the payment's id at the end of its query. Nothing else of it changes. */
export function withPayment(url: string, id: string): string {
  const hash = url.indexOf('#');
  const [page, fragment] = hash < 0 ? [url, ''] : [url.slice(0, hash), url.slice(hash)];
  const mark = page.indexOf('?');
  const query = mark < 0 ? '' : page.slice(mark + 1);
  const name = isTaken(query, PARAMETER) ? PARAMETER_BESIDE : PARAMETER;
  const separator = mark < 0 ? '?' : query === '' || query.endsWith('&') ? '' : '&';
  return `${page}${separator}${name}=${id}${fragment}`;
}

/**
 * Whether some server reads a parameter of the query as `name`. PHP, Rack and qs make an array or an object of `name[]` and `name[id]`;
 * PHP drops spaces before a name, Rack and qs brackets around it; ASP.NET ignores case, and older servers end a parameter at a semicolon.
 */
function isTaken(query: string, name: string): boolean {
  const names = [...new URLSearchParams(query).keys(), ...new URLSearchParams(query.replaceAll(';', '&')).keys()];
  return names.some(
    (given) =>
      given
        .replace(/^[\s[\]]+/, '')
        .split(/[[\]]/, 1)[0]!
        .toLowerCase() === name,
  );
}

/** The same URL as a header can carry it: a host of other letters in punycode, other characters as UTF-8 (RFC 3987, 3.1). ASCII stays as it is. */
export function asciiUrl(url: string): string {
  if (/^[\x21-\x7e]*$/.test(url)) return url;
  const [, scheme, authority, rest] = /^([^:]*:\/\/)([^/?#]*)(.*)$/u.exec(url)!;
  const { hostname } = new URL(url);
  const port = /:\d*$/.exec(authority!)?.[0] ?? '';
  const host = /^[\x21-\x7e]*$/.test(authority!) ? authority : hostname + port;
  return scheme! + host + rest!.replace(/[^\x21-\x7e]+/gu, encodeURIComponent);
}
