/** Texts that are to be URLs, and what is safe to make of them. A text that is kept stays as it was given: what is parsed is only looked at. */
import { isIP } from 'node:net';
import { unbracketed } from './public-address.ts';

/**
 * Undefined for a text that is no URL. `URL.canParse` is not asked: once V8 has optimised its call, Node 20 reads letters of Latin-1 as if
 * they were UTF-8, and refuses a host such as bücher.example from the two thousandth call on.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

export function isUrl(text: string): boolean {
  return parsedUrl(text) !== undefined;
}

/** Labels of letters, digits and hyphens (RFC 1123, 2.1); a dot may end the name. */
const HOST_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.?$/;
const HOST_NAME_MAX = 254;

/** Of a hostname as the parser writes it (lower case, IDNA's letters in punycode): it lets pass `*`, `;`, quotes and commas, which mean something elsewhere. */
export function isHostName(hostname: string): boolean {
  return hostname.length <= HOST_NAME_MAX && HOST_NAME.test(hostname);
}

/** A name, or an address. */
export function isHost(hostname: string): boolean {
  return isIP(unbracketed(hostname)) !== 0 || isHostName(hostname);
}

/**
 * The origin of a web page as a policy of content can name it (CSP 3, 2.3.1): `https://shop.example:8443`. Undefined for what it has no
 * notation for, such as IPv6 addresses, and for a host that would add more than itself.
 */
export function namedOrigin(url: string): string | undefined {
  const parsed = parsedUrl(url);
  if (parsed === undefined || !isHostName(parsed.hostname)) return undefined;
  return parsed.protocol === 'https:' || parsed.protocol === 'http:' ? parsed.origin : undefined;
}
