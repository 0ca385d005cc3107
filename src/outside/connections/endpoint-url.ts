/**
 * Whether the URL of an integrator's endpoint can be accepted: of webhooks, or of one that decides. Its text is checked when the URL is set.
 * The addresses that its name resolves to are checked at every connection (safe-connect.ts), since DNS records change.
 */
import { isIP } from 'node:net';
import { ApiError } from '../../errors/errors.ts';
import type { Mode } from '../../ledger/book/book.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import { type AllowList, isLocalName, isPublicAddress, unbracketed } from '../../values/public-address.ts';
import { isHost, parsedUrl } from '../../values/url.ts';

/** Longer ones are cut by proxies and servers on the way (RFC 9110, 4.1 asks for 8,000; most stop earlier). */
export const URL_LENGTH_MAX = 2_048;

const DEFAULT_PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 };

export interface UrlRules {
  mode: Mode;
  /** Used for test books only. */
  allow: AllowList;
  /** Beside USUAL_PORTS (WEBHOOK_ALLOW_PORTS). */
  ports?: readonly number[];
  /** The place of the URL in the request. Left out: `/url`. */
  param?: string;
}

/** Usual ports of webhook receivers. On other ports run services that a POST from a trusted network could harm. */
const USUAL_PORTS: readonly number[] = [443, 80, 8443];

/** All ports that a new endpoint may use. */
export function portsWith(ports: readonly number[]): number[] {
  return [...new Set([...USUAL_PORTS, ...ports])];
}

/**
 * Throws ApiError `parameter_invalid` for text that is no URL: a request error, which is not stored under a key. It is
 * a URI as RFC 3986 writes it, since the parser (WHATWG) repairs much that others refuse or read otherwise, such as a
 * backslash.
 */
export function requireUrl(text: string, param = '/url'): URL {
  const invalid = (detail: string) => new ApiError('parameter_invalid', { param, detail });
  if (text.length > URL_LENGTH_MAX) throw invalid(`A URL has at most ${URL_LENGTH_MAX} characters.`);
  const fault = uriFault(text);
  if (fault !== undefined) throw invalid(fault);
  const url = parsedUrl(text);
  if (!url) throw invalid(URL_EXPECTED);
  if (!isHost(url.hostname.replaceAll('_', 'a'))) throw invalid(HOST_EXPECTED);
  return url;
}

/**
 * Undefined when the URL may be used, else the refusal `webhook_url_forbidden` for one that leads where webhooks are
 * not sent. Throws as requireUrl. The parser has turned `2130706433`, `0x7f.1` and `0177.0.0.1` into `127.0.0.1` before
 * any rule looks at it.
 */
export function refuseUrl(text: string, { mode, allow, ports = [], param = '/url' }: UrlRules): Refusal | undefined {
  const forbidden = (detail: string): Refusal => ({ refused: 'webhook_url_forbidden', param, detail });
  const url = requireUrl(text, param);
  if (mode === 'live' && url.protocol !== 'https:') return forbidden('In live mode webhooks are sent by https only.');
  const host = unbracketed(url.hostname);
  if (mode === 'test' && allow.permits(host, portOf(url))) return undefined;
  if (isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host))
    return forbidden(`${host} is not a public address.`);
  const allowed = portsWith(ports);
  if (!allowed.includes(portOf(url)))
    return forbidden(`Port ${portOf(url)} is not allowed; these are: ${allowed.join(', ')}.`);
  return undefined;
}

/** The port a connection to the URL uses. */
export function portOf(url: URL): number {
  return url.port === '' ? DEFAULT_PORTS[url.protocol]! : Number(url.port);
}

/** Names of services, in compose files for one, have underscores too. */
const HOST_EXPECTED = 'The host of a URL has letters, digits, hyphens and underscores between its dots.';
const URL_EXPECTED = 'A URL such as https://example.com/webhooks is expected.';
/** RFC 3986, 2: what a URI is written in. */
const NOT_IN_URI = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/;
const NOT_ENCODED = /%(?![\dA-Fa-f]{2})/;
/** Scheme, authority, path and query: brackets stand only around an IPv6 address. */
const PARTS = /^https?:\/\/([^/?]+)(.*)$/i;

/** Why an endpoint may not have this text as its URI, and what to write instead; undefined if it may. */
function uriFault(text: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(text)) return 'A URL is written in visible ASCII characters; encode everything else.';
  const [character] = NOT_IN_URI.exec(text) ?? [];
  if (character !== undefined) return `A URL must not contain ${character}; write it as ${encoded(character)}.`;
  if (NOT_ENCODED.test(text)) return 'In a URL, % is followed by two hexadecimal digits; write % itself as %25.';
  if (text.includes('#')) return 'A URL must not carry a fragment; leave out # and what follows it.';
  const [, authority = '', rest = ''] = PARTS.exec(text) ?? [];
  if (authority === '') return URL_EXPECTED;
  if (authority.includes('@')) return 'A URL must not carry a user name or password.';
  const [bracket] = /[[\]]/.exec(rest) ?? [];
  if (bracket !== undefined)
    return `After its host, a URL must not contain ${bracket}; write it as ${encoded(bracket)}.`;
  // A name may end in one dot: the root.
  const name = authority.replace(/:\d*$/, '').replace(/\.$/, '');
  if (name.split('.').includes('')) return 'A host name has no empty part: nothing stands between two of its dots.';
  return undefined;
}

function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
