/**
 * Whether an endpoint's URL can be accepted. Its text is checked when the URL is set. The addresses that its name
 * resolves to are checked at every connection (safe-connect.ts), since DNS records change.
 */
import { isIP } from 'node:net';
import type { Mode } from '../ledger/book.ts';
import type { Refusal } from '../ledger/command.ts';
import { type AllowList, isLocalName, isPublicAddress, unbracketed } from './public-address.ts';

/** Longer ones are cut by proxies and servers on the way (RFC 9110, 4.1 asks for 8,000; most stop earlier). */
export const URL_LENGTH_MAX = 2_048;

const DEFAULT_PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 };

export interface UrlRules {
  mode: Mode;
  /** Used for test books only. */
  allow: AllowList;
  /** Beside USUAL_PORTS (WEBHOOK_ALLOW_PORTS). */
  ports?: readonly number[];
}

/** What webhook receivers listen on. Elsewhere stand services that a POST from a trusted network could harm. */
const USUAL_PORTS: readonly number[] = [443, 80, 8443];

/** All that a new endpoint may use. */
export function portsWith(ports: readonly number[]): number[] {
  return [...new Set([...USUAL_PORTS, ...ports])];
}

/**
 * Undefined when the URL may be used, else the refusal: `parameter_invalid` for what is no URL, `webhook_url_forbidden`
 * for one that leads where webhooks do not go. The parser (WHATWG) has turned `2130706433`, `0x7f.1` and `0177.0.0.1`
 * into `127.0.0.1` before any rule looks at it.
 */
export function refuseUrl(text: string, { mode, allow, ports = [] }: UrlRules): Refusal | undefined {
  if (text.length > URL_LENGTH_MAX) return invalid(`A URL has at most ${URL_LENGTH_MAX} characters.`);
  if (!/^[\x21-\x7e]+$/.test(text))
    return invalid('A URL is written in visible ASCII characters; encode everything else.');
  const url = parseUrl(text);
  const defaultPort = url && DEFAULT_PORTS[url.protocol];
  if (!url || defaultPort === undefined) return invalid('A URL such as https://example.com/webhooks is expected.');
  if (url.username !== '' || url.password !== '') return invalid('A URL must not carry a user name or password.');
  if (url.hash !== '') return invalid('A URL must not carry a fragment.');
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

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

const invalid = (detail: string): Refusal => ({ refused: 'parameter_invalid', param: '/url', detail });
const forbidden = (detail: string): Refusal => ({ refused: 'webhook_url_forbidden', param: '/url', detail });
